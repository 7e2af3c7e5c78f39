import { allCommands } from '../../packages/module/src/commands/index.ts';
import { refusalTexts } from '../../packages/module/src/interpreter/board-port.ts';
import type { ArgSpec, Command, OptionSpec } from '../../packages/module/src/interpreter/command.ts';
import { codes } from '../../packages/module/src/interpreter/reply.ts';
import { usage } from '../../packages/module/src/interpreter/usage.ts';
import { neutralTexts, type Text } from '../../packages/module/src/texts/texts.ts';
import { allVariables } from '../../packages/module/src/variables/index.ts';
import { type Kind, printValue, type Value } from '../../packages/module/src/variables/kinds.ts';
import type { Variable } from '../../packages/module/src/variables/variable.ts';
import { code, page, table } from '../support/markdown.ts';

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const evidenceText =
  'Evidence says how sure an entry is: in the specification (`spec`), documented elsewhere, seen in use, inferred, or proposed by us.';

const optionLabel = (spec: OptionSpec): string => (spec.kind === 'letters' ? `-${spec.letters}` : spec.flag);

/** What an argument takes, where its kind says more than the name. */
function argumentRange(spec: ArgSpec): string {
  switch (spec.kind) {
    case 'int':
      return `${spec.min} to ${spec.max}`;
    case 'hex':
      return `hex, to ${spec.max.toString(16).toUpperCase()}`;
    case 'bit':
      return '0 or 1';
    case 'choice':
      return spec.choices.join(', ');
    case 'word':
    case 'file':
      return spec.maxLength === undefined ? '' : `to ${spec.maxLength} characters`;
    default:
      return '';
  }
}

const optionRange = (spec: OptionSpec): string => (spec.kind === 'value' ? argumentRange(spec.value) : '');

/** One command: how it is called, and what each of its words is. */
function commandSection(command: Command<never>): readonly string[] {
  const words = [
    ...Object.values(command.options).map((spec) => [code(optionLabel(spec)), 'option', optionRange(spec), spec.help]),
    ...Object.entries(command.args).map(([name, spec]) => [
      code(name),
      spec.optional ? 'optional' : 'needed',
      argumentRange(spec),
      spec.help,
    ]),
  ];
  const aliases = command.aliases?.length ? `, also ${command.aliases.map(code).join(', ')}` : '';
  const notes = [
    command.hidden ? 'not listed by `help`' : '',
    command.safeMode ? 'there in safe mode' : '',
    command.waitsFor === undefined ? '' : `waits (${command.waitsFor}) while other sessions go on; Ctrl-C ends it`,
  ];
  return [
    `### ${command.name}`,
    `${command.summary}. Short ${code(command.shortcut)}${aliases}.`,
    `\`\`\`text\n${usage(command)}\n\`\`\``,
    ...(command.example === undefined ? [] : [`Example: ${code(command.example)}`]),
    ...(words.length ? [table(['word', '', 'values', 'meaning'], words)] : []),
    [`Evidence: ${command.evidence}`, ...notes.filter((note) => note !== '')].join('; '),
  ];
}

/** docs/generated/commands.md: every command of the module. */
export function renderCommands(): string {
  const commands = allCommands.toSorted(byName);
  const groups = [...new Set(commands.map(({ group }) => group))].toSorted();
  return page(
    'Commands of the module',
    evidenceText,
    table(
      ['command', 'short', 'group', 'does', 'evidence'],
      commands.map((command) => [
        `[${code(command.name)}](#${command.name})`,
        code(command.shortcut),
        command.group,
        command.summary,
        command.evidence,
      ]),
    ),
    ...groups.flatMap((group) => [
      `## Group ${group}`,
      ...commands.filter((command) => command.group === group).flatMap(commandSection),
    ]),
  );
}

/** What a kind accepts, for a reader. */
function kindText(kind: Kind): string {
  switch (kind.type) {
    case 'bool':
      return '0 or 1, off or on, false or true';
    case 'int':
      return `${kind.min} to ${kind.max}`;
    case 'gpio':
      return 'pin number, or -1 for none';
    case 'enum':
      return kind.words.join(', ');
    case 'str':
      return `empty, or ${kind.min} to ${kind.max} bytes`;
    case 'key':
      return `empty, or ${kind.min} to ${kind.max} characters`;
    case 'ssid':
      return 'empty, or up to 32 bytes; `\\xHH` for one that does not print';
    case 'hex':
      return `hex, to ${kind.max.toString(16).toUpperCase()}`;
    case 'ip':
      return 'IPv4 address';
    case 'csv':
      return `list with commas, to ${kind.max} bytes`;
    case 'file':
      return 'empty, or the name of a file';
    case 'mac':
      return 'empty, or a MAC address';
    case 'zone':
      return 'hours from UTC, -12 to 12, half hours as `5:30`';
    case 'baud':
      return 'a usual rate, or any with the word `raw` behind it';
    case 'pin_events':
      return `empty, or a pin and ${kind.words.join(', ')} with commas between: \`12 ${kind.words.join(',')}\``;
    case 'direction':
      return 'direction of a pin, for outputs with its level';
    case 'blink':
      return 'patterns joined with bars, one for each state';
    case 'table':
      return 'lines';
  }
}

/** As `get` prints it. */
const printed = (variable: Variable, value: Value): string => code(printValue(variable.kind, value));

const defaultText = (variable: Variable): string => {
  if (variable.read) return '';
  if (typeof variable.default !== 'object') return printed(variable, variable.default);
  return Object.entries(variable.default)
    .map(([index, value]) => `${code(index)} ${printed(variable, value)}`)
    .join(', ');
};

/** Name with its index, and the words that `get` takes behind it. */
function callText({ name, index, options }: Variable): string {
  const indexText = index === undefined ? '' : ` <${index === 'gpio' ? 'pin' : index.words.join('/')}>`;
  return `${code(`${name}${indexText}`)}${options?.length ? `, ${code(`get … ${options.join('/')}`)}` : ''}`;
}

const meaningOf = ({ help, inert, secret }: Variable): string =>
  [help, ...(secret ? ['Secret'] : []), ...(inert === undefined ? [] : [`Without effect: ${inert}`])].join('. ');

const prefixOf = ({ name }: Variable): string => name.split('.')[0] ?? name;

/** docs/generated/variables.md: every variable of the module. */
export function renderVariables(): string {
  const variables = [...allVariables].sort(byName);
  const prefixes = [...new Set(variables.map(prefixOf))];
  const row = (variable: Variable): readonly string[] => [
    callText(variable),
    code(variable.shortcut),
    variable.access ?? 'get-set',
    kindText(variable.kind),
    defaultText(variable),
    variable.apply ?? 'now',
    meaningOf(variable),
    variable.evidence,
  ];
  return page(
    'Variables of the module',
    `${evidenceText} A change acts at once (\`now\`), when the interface restarts (\`net\`), at \`boot\`, with the \`uart\`, or at the next web \`setup\`. Defaults are those of the built-in personality, printed as \`get\` prints them. Secret ones are shown to [few](../reference/variables.md#1.8).`,
    ...prefixes.flatMap((prefix) => [
      `## ${prefix}`,
      table(
        ['variable', 'short', 'access', 'values', 'default', 'acts', 'meaning', 'evidence'],
        variables.filter((variable) => prefixOf(variable) === prefix).map(row),
      ),
    ]),
  );
}

/** docs/generated/response-codes.md: response codes of the module with the texts of the built-in personality. */
export function renderResponseCodes(): string {
  // Success has a text of its own for many commands; this is the one for those that return nothing.
  const keys: Readonly<Record<number, string>> = {
    0: 'success',
    ...refusalTexts,
  };
  const texts: Readonly<Record<string, Text>> = neutralTexts;
  return page(
    'Response codes of the module',
    `First digit of a response header, with the text of the built-in personality. ${evidenceText}`,
    table(
      ['code', 'name', 'text', 'evidence of the text'],
      Object.entries(codes).map(([name, value]) => {
        const text = texts[keys[value] ?? ''];
        return [String(value), code(name), text?.text ?? '', text?.evidence ?? ''];
      }),
    ),
  );
}
