import type { ArgSpec, Command, OptionSpec } from './command.ts';

/** Syntax line of a command as `help` prints it, from its declaration unless that says otherwise. */
export function usage(command: Pick<Command<never>, 'name' | 'syntax' | 'args' | 'options'>): string {
  if (command.syntax !== undefined) return command.syntax;
  const options = Object.entries(command.options).map(([name, spec]) => optionText(name, spec));
  const args = argsText(Object.entries(command.args));
  return [command.name, ...options, args].filter((part) => part !== '').join(' ');
}

function optionText(name: string, spec: OptionSpec): string {
  if (spec.kind === 'letters') return `[-${[...spec.letters].map((letter) => `[${letter}]`).join('')}]`;
  return spec.kind === 'switch' ? `[${spec.flag}]` : `[${spec.flag} ${argText(name, spec.value)}]`;
}

/** An optional argument holds those after it in its brackets: `<a> [<b> [<c>]]`. */
function argsText(args: readonly (readonly [string, ArgSpec])[]): string {
  const [first, ...rest] = args;
  if (first === undefined) return '';
  const [name, spec] = first;
  const tail = argsText(rest);
  const text = tail === '' ? argText(name, spec) : `${argText(name, spec)} ${tail}`;
  return spec.optional ? `[${text}]` : text;
}

function argText(name: string, spec: ArgSpec): string {
  if (spec.kind === 'choice') return `<${spec.choices.join('/')}>`;
  return spec.kind === 'words' ? `<${name}>...` : `<${name}>`;
}
