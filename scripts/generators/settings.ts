import { commands } from '../../packages/moorage/src/commands/index.ts';
import { variableOf } from '../../packages/service/src/engine/settings/options.ts';
import { code, page, table } from '../support/markdown.ts';

/** docs/generated/settings.md: every setting of every subcommand. */
export function renderSettings(): string {
  const sections = commands.flatMap((command) => [
    `## moorage ${[command.parent, command.name].filter((part) => part !== undefined).join(' ')}`,
    command.summary,
    table(
      ['flag', 'variable', 'default', 'extension', 'meaning'],
      Object.entries(command.options).map(([name, row]) => [
        code(
          row.kind === 'switch' ? `--${name}` : `--${name} ${row.placeholder ?? (row.kind ?? 'text').toUpperCase()}`,
        ),
        code(variableOf(name)),
        row.defaultText ?? (row.default === undefined ? '' : code(String(row.default))),
        row.extension ?? '',
        row.help,
      ]),
    ),
  ]);
  return page(
    'Settings of the command line',
    'A flag wins over its variable, the variable over the key of the config file (spelled as the flag without its dashes). Every command also takes `--config FILE` and `--json`. A setting of what goes beyond the specification names its extension.',
    ...sections,
  );
}
