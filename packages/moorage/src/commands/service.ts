import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { variableOf } from '@moorage/service/engine/settings/options';
import { settingsTable } from '@moorage/service/engine/settings/settings';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { type OptionSources, type OptionTable, withSecretFiles } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { closedTo, filesOf, placesOf, removeFiles, runTool, writeFiles } from '../systemd/install.ts';
import { otherWay, type Scope, unitName } from '../systemd/unit.ts';
import { lanOption, readServiceSettings, withServiceOptions } from './serve.ts';

const scopeOption = {
  scope: {
    kind: 'text',
    default: 'system',
    placeholder: 'system|user',
    help: 'of the machine, as a user "moorage" of its own, or of you',
  },
  root: {
    kind: 'text',
    default: '/',
    placeholder: 'DIR',
    help: 'folder that is the root of the system that it is for; systemd is left alone when it is another than /',
  },
} as const;

interface Target {
  readonly scope: Scope;
  readonly root: string;
  /** Whether systemd runs there, and is to be told. */
  readonly live: boolean;
}

function targetOf({ scope, root }: { readonly scope: string; readonly root: string }): Target {
  if (scope !== 'system' && scope !== 'user')
    throw new UserError(`Option --scope is "${scope}", not system or user`, 2);
  const live = resolve(root) === '/';
  if (live && process.platform !== 'linux')
    throw new UserError(
      `Services are systemd's, which ${process.platform} does not have; run "moorage serve" by its own means`,
    );
  return { scope, root: resolve(root), live };
}

/** Tells systemd something. @throws {UserError} with what it says */
function systemctl(scope: Scope, ...args: string[]): string {
  const done = runTool('systemctl', [...(scope === 'user' ? ['--user'] : []), ...args]);
  if (!done.ok) throw new UserError(`systemctl ${args.join(' ')} failed: ${done.error}`);
  return done.value;
}

/** Without the default: that depends on where the service is installed. */
const { default: _, ...dataOption } = settingsTable.data;

/** What "moorage serve" takes. */
const settings: OptionTable = withServiceOptions(lanOption);

/** The settings that were given, as variables; paths of files are whole, since the service starts elsewhere. */
function givenVariables({ flags, env, file }: OptionSources, dataDir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const rows = Object.entries(withSecretFiles(settings));
  const byVariable = Object.fromEntries(rows.map(([name]) => [name, env[variableOf(name)]]));
  // The strongest one comes last.
  for (const given of [file, byVariable, flags]) {
    for (const [name, { placeholder = '' }] of rows) {
      if (given[name] === undefined) continue;
      const text = String(given[name]);
      Reflect.deleteProperty(found, otherWay(variableOf(name)));
      found[variableOf(name)] = ['FILE', 'DIR'].includes(placeholder) ? resolve(text) : text;
    }
  }
  return { ...found, [variableOf('data')]: dataDir };
}

const isLow = (port: number | undefined): boolean => port !== undefined && port > 0 && port < 1024;

export const serviceInstallCommand = defineCliCommand({
  name: 'install',
  parent: 'service',
  summary:
    'Have systemd run "moorage serve" with these settings, which it keeps in an environment file; again to change them',
  options: {
    ...settings,
    data: {
      ...dataOption,
      help: 'folder of the embedded storage',
      defaultText: '/var/lib/moorage, with --scope user ~/.local/share/moorage',
    },
    ...scopeOption,
    'dry-run': { kind: 'switch', help: 'print what would be written, and write nothing' },
  },
  async run({ options, sources, reporter }) {
    const { scope, root, live } = targetOf(options);
    const { port, devicePort, opsPort } = readServiceSettings(sources);
    const places = placesOf(scope);
    const dataDir = options.data === undefined ? places.dataDir : resolve(options.data);
    const program = realpathSync(process.argv[1] ?? '');
    const closed = scope === 'system' && live ? (closedTo(program) ?? closedTo(process.execPath)) : undefined;
    if (closed !== undefined)
      throw new UserError(
        `The service runs as user "moorage", who cannot read ${closed}; install the program where all can, as "npm install -g moorage" does`,
      );
    const lowPort = [port, devicePort, opsPort?.port].some(isLow);
    const unit = { scope, node: process.execPath, program, dataDir, lowPort };
    const files = filesOf(unit, givenVariables(sources, dataDir), places, root);
    if (options['dry-run']) {
      for (const { path, text } of files) reporter.event('file', { path, text }, `# ${path}\n${text}`);
      return;
    }
    writeFiles(files);
    for (const { path } of files) reporter.event('written', { path }, `Written: ${path}`);
    if (live) startUnit(scope, dataDir, reporter);
  },
});

function startUnit(scope: Scope, dataDir: string, reporter: Reporter): void {
  if (scope === 'system') {
    const made = runTool('systemd-sysusers', []);
    if (!made.ok) throw new UserError(`The user cannot be made: ${made.error}`);
  }
  // The unit makes that of a system service itself; others have to be there when it starts.
  const owner = scope === 'system' ? ['-o', 'moorage', '-g', 'moorage'] : [];
  const folder = runTool('install', ['-d', '-m', '0700', ...owner, dataDir]);
  if (!folder.ok) throw new UserError(`The data folder cannot be made: ${folder.error}`);
  systemctl(scope, 'daemon-reload');
  systemctl(scope, 'enable', unitName);
  systemctl(scope, 'restart', unitName);
  const journal = `journalctl ${scope === 'user' ? '--user ' : ''}-u ${unitName}`;
  reporter.event('started', { unit: unitName }, `Started; the administrator's password is in the log: ${journal}`);
}

export const serviceUninstallCommand = defineCliCommand({
  name: 'uninstall',
  parent: 'service',
  summary: 'Stop the service and take it from systemd; its data and its environment file stay',
  options: scopeOption,
  async run({ options, reporter }) {
    const { scope, root, live } = targetOf(options);
    const places = placesOf(scope);
    if (!existsSync(join(root, places.unit))) throw new UserError(`There is no ${join(root, places.unit)}`);
    if (live) systemctl(scope, 'disable', '--now', unitName);
    for (const path of removeFiles(places, root)) reporter.event('removed', { path }, `Removed: ${path}`);
    if (live) systemctl(scope, 'daemon-reload');
    const environment = join(root, places.environment);
    reporter.event('kept', { environment }, `Kept: ${environment}, and the data folder that it names`);
  },
});

/** Exit code when it is not installed or does not run: that of `systemctl status`. */
const exitInactive = 3;

export const serviceStatusCommand = defineCliCommand({
  name: 'status',
  parent: 'service',
  summary: 'Say whether the service is installed and runs; exit code 3 when it does not',
  options: scopeOption,
  async run({ options, reporter }) {
    const { scope, root, live } = targetOf(options);
    const unit = join(root, placesOf(scope).unit);
    const installed = existsSync(unit);
    const stateArgs = [...(scope === 'user' ? ['--user'] : []), 'show', '-P', 'ActiveState', unitName];
    const asked = installed && live ? runTool('systemctl', stateArgs) : undefined;
    const state = asked === undefined ? 'unknown' : asked.ok ? asked.value.trim() : `unknown (${asked.error})`;
    const shown = live ? state : 'is there; whether it runs is for the system that has it';
    reporter.event('service', { unit, installed, state }, installed ? `${unit}: ${shown}` : `There is no ${unit}`);
    if (!installed || (live && state !== 'active')) process.exitCode = exitInactive;
  },
});
