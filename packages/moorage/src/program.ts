import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { type CliArgument, type CliCommand, UserError } from './command-line/define.ts';
import { dieWithLauncher, endWithReader } from './command-line/lifecycle.ts';
import {
  findUnknownSetting,
  type OptionTable,
  readConfigFile,
  resolveOptions,
  shownSecrets,
} from './command-line/options.ts';
import { openReporter, printable } from './command-line/output.ts';
import { commands, groups } from './commands/index.ts';

/** Exit codes: 1 it did not work, 2 it was asked for wrongly. Those of `moorage rollout watch` are in rollout-watch.ts. */
const exitFailed = 1;
const exitUsage = 2;

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const argumentText = ({ name, optional = false, many = false }: CliArgument): string => {
  const text = many ? `${name}...` : name;
  return optional ? `[${text}]` : `<${text}>`;
};

function addOptions(command: Command, table: OptionTable): void {
  for (const [name, row] of Object.entries(table)) {
    const long = row.kind === 'switch' ? `--${name}` : `--${name} <${row.placeholder ?? row.kind ?? 'text'}>`;
    const flag = row.short === undefined ? long : `-${row.short}, ${long}`;
    const shown = row.kind === 'switch' ? undefined : (row.defaultText ?? row.default);
    command.addOption(new Option(flag, shown === undefined ? row.help : `${row.help} (default: ${shown})`));
  }
  command.addOption(new Option('--config <FILE>', 'JSON file with settings, named as the flags are'));
  command.addOption(new Option('--json', 'one JSON object per line instead of prose'));
}

const allSettings = (): Set<string> =>
  new Set(['config', 'json', ...commands.flatMap((command) => Object.keys(command.options))]);

/** Reads the settings of a command from flags, environment and file, and runs it. */
async function runCommand(
  definition: CliCommand,
  args: readonly string[],
  given: Record<string, string | true>,
): Promise<void> {
  const flags: Record<string, string | true> = {};
  for (const name of [...Object.keys(definition.options), 'config', 'json']) {
    const value = given[camelCase(name)];
    if (value !== undefined) flags[name] = value;
  }
  const configPath = flags.config ?? process.env.MOORAGE_CONFIG;
  const file = typeof configPath === 'string' ? readConfigFile(configPath) : undefined;
  if (file && !file.ok) throw new UserError(file.error, exitUsage);
  const sources = { flags, env: process.env, file: file?.value ?? {} };
  const unknown = findUnknownSetting(allSettings(), sources);
  if (unknown) throw new UserError(unknown, exitUsage);
  const common = resolveOptions({ json: { kind: 'switch', help: '' } }, sources);
  if (!common.ok) throw new UserError(common.error, exitUsage);
  for (const warning of shownSecrets(definition.options, flags)) process.stderr.write(`moorage: ${warning}\n`);
  const options = resolveOptions(definition.options, sources);
  if (!options.ok) throw new UserError(options.error, exitUsage);
  const { json } = common.value;
  await definition.run({ options: options.value, sources, args, reporter: openReporter(json), json });
}

function buildProgram(): Command {
  const program = new Command('moorage')
    .description('A self-hosted home for connected devices, and the software module that lives in it')
    .version(manifest.version, '--version', 'show the version')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'moorage:')) })
    .showHelpAfterError('Add --help to see what there is.');
  for (const definition of commands) {
    const parent = definition.parent === undefined ? program : groupOf(program, definition.parent);
    const { isDefault = false } = definition;
    const command = parent.command(definition.name, { isDefault }).description(definition.summary).exitOverride();
    for (const argument of definition.arguments ?? []) command.argument(argumentText(argument), argument.help);
    addOptions(command, definition.options);
    // Its settings may stand behind the group alone.
    if (isDefault)
      parent.addHelpText(
        'after',
        () => `\nWithout a command it is ${definition.name}:\n\n${command.helpInformation()}`,
      );
    command.action((...parameters: unknown[]) => {
      // One that is left out comes as `undefined`, and many as a list.
      const args = parameters
        .slice(0, -2)
        .flat()
        .filter((given) => given !== undefined);
      return runCommand(definition, args.map(String), parameters.at(-2) as Record<string, string | true>);
    });
  }
  return program;
}

function groupOf(program: Command, name: string): Command {
  return (
    program.commands.find((command) => command.name() === name) ??
    program
      .command(name)
      .description(groups[name] ?? '')
      .exitOverride()
  );
}

/** The command line. Ends the process with a code other than 0 when it fails. */
export async function run(argv: readonly string[]): Promise<void> {
  dieWithLauncher();
  endWithReader();
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : exitUsage);
    if (error instanceof UserError) {
      process.stderr.write(`moorage: ${printable(error.message)}\n`);
      process.exit(error.exitCode);
    }
    process.stderr.write(`moorage: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(exitFailed);
  }
}
