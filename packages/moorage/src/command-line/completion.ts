import type { CliCommand } from './define.ts';
import type { OptionRow } from './options.ts';
import { quoted } from './shell.ts';

/** Shells whose completion can be made. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

type Groups = Readonly<Record<string, string>>;

const common: Readonly<Record<string, OptionRow>> = {
  config: { kind: 'text', placeholder: 'FILE', help: 'JSON file with settings, named as the flags are' },
  json: { kind: 'switch', help: 'one JSON object per line instead of prose' },
};

const optionsOf = ({ options }: CliCommand): readonly (readonly [string, OptionRow])[] =>
  Object.entries({ ...options, ...common });

/** Values that an option can have, files, or nothing that a shell could know. */
function valuesOf({ kind, placeholder = '' }: OptionRow): 'files' | 'switch' | readonly string[] {
  if (kind === 'switch') return 'switch';
  if (/^(FILE|DIR|FOLDER|PATH)$/.test(placeholder)) return 'files';
  return /^[a-z]+(\|[a-z]+)+$/.test(placeholder) ? placeholder.split('|') : [];
}

/** Commands of the top, and those of each group. */
function namesOf(
  commands: readonly CliCommand[],
  groups: Groups,
  parent?: string,
): readonly (readonly [string, string])[] {
  const own = commands.filter((one) => one.parent === parent).map(({ name, summary }) => [name, summary] as const);
  const used = new Set(commands.map((one) => one.parent));
  return parent === undefined ? [...own, ...Object.entries(groups).filter(([name]) => used.has(name))] : own;
}

const isInGroup = (command: CliCommand): boolean => command.parent !== undefined;

/** The tables for bash and zsh: words after the commands so far, and what stands behind an option. */
function wordTables(commands: readonly CliCommand[], groups: Groups): string {
  const flags = (command: CliCommand): string =>
    optionsOf(command)
      .map(([name]) => `--${name}`)
      .join(' ');
  const names = (parent?: string): string =>
    namesOf(commands, groups, parent)
      .map(([name]) => name)
      .join(' ');
  const firstWords = (command: CliCommand): string =>
    isInGroup(command) ? `${command.parent} ${command.name}` : `${command.name} *`;
  const sorted = [...commands].sort((a, b) => Number(isInGroup(b)) - Number(isInGroup(a)));
  const paths = sorted.map((command) => {
    const label = firstWords(command);
    const pattern = label.endsWith(' *') ? `${quoted(label.slice(0, -1))}*` : quoted(label);
    const words = command.name === 'completion' ? `${shells.join(' ')} ${flags(command)}` : flags(command);
    return `    ${pattern}) echo ${quoted(words)} ;;`;
  });
  const behind = new Map(commands.flatMap((command) => optionsOf(command)).map(([name, row]) => [name, valuesOf(row)]));
  const values = [...behind]
    .filter(([, known]) => known !== 'switch')
    .map(
      ([name, known]) =>
        `    --${name}) echo ${quoted(typeof known === 'string' ? '@files' : known.join(' ') || '@none')} ;;`,
    );
  return [
    '_moorage_words() {',
    '  case "$1 $2" in',
    ...paths,
    ...Object.keys(groups).map((group) => `    ${quoted(`${group} `)}*) echo ${quoted(names(group))} ;;`),
    `    *) echo ${quoted(`${names()} --help --version`)} ;;`,
    '  esac',
    '}',
    '_moorage_values() {',
    '  case "$1" in',
    ...values,
    "    *) echo '' ;;",
    '  esac',
    '}',
  ].join('\n');
}

const bashTail = `_moorage() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" first='' second='' words
  if [ "$COMP_CWORD" -gt 1 ]; then first="\${COMP_WORDS[1]}"; fi
  if [ "$COMP_CWORD" -gt 2 ]; then second="\${COMP_WORDS[2]}"; fi
  words="$(_moorage_values "$prev")"
  case "$words" in
    @files) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    @none) COMPREPLY=(); return ;;
    '') words="$(_moorage_words "$first" "$second")" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [ \${#COMPREPLY[@]} -eq 0 ] && [ -n "$first" ]; then COMPREPLY=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _moorage moorage
`;

const zshTail = `_moorage() {
  local first='' second='' found
  (( CURRENT > 2 )) && first="$words[2]"
  (( CURRENT > 3 )) && second="$words[3]"
  found="$(_moorage_values "$words[CURRENT-1]")"
  case "$found" in
    @files) _files; return ;;
    @none) return ;;
    '') found="$(_moorage_words "$first" "$second")" ;;
  esac
  compadd -- \${=found} || _files
}
compdef _moorage moorage
`;

/** One line of fish for each command and option, each with what it does. */
function fishScript(commands: readonly CliCommand[], groups: Groups): string {
  const line = (when: string, rest: string, help: string): string =>
    `complete -c moorage -n ${quoted(when)} ${rest} -d ${quoted(help)}`;
  const top = namesOf(commands, groups).map(([name, help]) => line('__fish_use_subcommand', `-f -a ${name}`, help));
  const inGroups = Object.keys(groups).flatMap((group) => {
    const names = namesOf(commands, groups, group);
    const when = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${names.map(([name]) => name).join(' ')}`;
    return names.map(([name, help]) => line(when, `-f -a ${name}`, help));
  });
  const options = commands.flatMap((command) => {
    const { name, parent } = command;
    const others = Object.keys(groups).join(' ');
    const when =
      parent === undefined
        ? `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${others}`
        : `__fish_seen_subcommand_from ${parent}; and __fish_seen_subcommand_from ${name}`;
    return optionsOf(command).map(([option, row]) => {
      const known = valuesOf(row);
      const value =
        known === 'switch'
          ? '-f'
          : known === 'files'
            ? '-r -F'
            : `-x${known.length > 0 ? ` -a ${quoted(known.join(' '))}` : ''}`;
      return line(when, `-l ${option} ${value}`, row.help);
    });
  });
  const ownShells = line('__fish_seen_subcommand_from completion', `-f -a ${quoted(shells.join(' '))}`, 'shell');
  return `${[...top, ...inGroups, ...options, ownShells].join('\n')}\n`;
}

/** What a shell reads to complete the command line: from the table of commands, so that it has all of them. */
export function completionFor(shell: Shell, commands: readonly CliCommand[], groups: Groups): string {
  if (shell === 'fish') return fishScript(commands, groups);
  return `${wordTables(commands, groups)}\n${shell === 'bash' ? bashTail : zshTail}`;
}
