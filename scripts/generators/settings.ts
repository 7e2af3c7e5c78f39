import { environmentName } from '../../packages/moorage/src/options.ts';
import { code, page, table } from '../support/markdown.ts';
import { importOptional } from '../support/project.ts';

interface OptionRow {
  readonly kind: string;
  readonly help: string;
  readonly placeholder?: string;
  readonly default?: string | number | boolean;
}

interface CliCommand {
  readonly name: string;
  readonly parent?: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionRow>>;
}

/** docs/generated/settings.md: every setting of every subcommand. */
export async function renderSettings(): Promise<string | undefined> {
  const module = await importOptional('packages/moorage/src/commands/index.ts');
  if (!module) return undefined;
  // The list's own type is erased by the dynamic import.
  const commands = module.commands as readonly CliCommand[];
  const sections = commands.flatMap((command) => [
    `## moorage ${[command.parent, command.name].filter((part) => part !== undefined).join(' ')}`,
    command.summary,
    table(
      ['flag', 'variable', 'default', 'meaning'],
      Object.entries(command.options).map(([name, row]) => [
        code(row.kind === 'switch' ? `--${name}` : `--${name} ${row.placeholder ?? row.kind.toUpperCase()}`),
        code(environmentName(name)),
        row.default === undefined ? '' : code(String(row.default)),
        row.help,
      ]),
    ),
  ]);
  return page(
    'Settings of the command line',
    'A flag wins over its variable, the variable over the key of the config file (spelled as the flag without its dashes).',
    ...sections,
  );
}
