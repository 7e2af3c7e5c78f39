import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { failure, type Result, success } from '@moorage/base';
import { environmentText, type Scope, serviceName, sysusersText, type Unit, unitName, unitText } from './unit.ts';

/** Where a service's files lie, before the root folder comes in front of them. */
export interface Places {
  readonly unit: string;
  readonly environment: string;
  readonly dataDir: string;
  /** A system service has a user of its own. */
  readonly sysusers?: string;
}

/** The places of a service, as systemd and the XDG base directories have them. */
export function placesOf(scope: Scope, env: NodeJS.ProcessEnv = process.env, home = homedir()): Places {
  if (scope === 'system') {
    return {
      unit: `/etc/systemd/system/${unitName}`,
      environment: `/etc/${serviceName}/${serviceName}.env`,
      dataDir: `/var/lib/${serviceName}`,
      sysusers: `/etc/sysusers.d/${serviceName}.conf`,
    };
  }
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  return {
    unit: join(config, 'systemd', 'user', unitName),
    environment: join(config, serviceName, `${serviceName}.env`),
    dataDir: join(env.XDG_DATA_HOME || join(home, '.local', 'share'), serviceName),
  };
}

/** A file that an installation writes, and its rights. */
interface InstalledFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const textAt = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** What an installation writes: paths below `root`, texts with the paths of the running system. */
export function filesOf(
  unit: Omit<Unit, 'environmentFile'>,
  variables: Readonly<Record<string, string>>,
  places: Places,
  root: string,
): InstalledFile[] {
  const environment = join(root, places.environment);
  return [
    { path: join(root, places.unit), text: unitText({ ...unit, environmentFile: places.environment }), mode: 0o644 },
    // It may hold passwords; systemd reads it before it gives its rights up.
    { path: environment, text: environmentText(variables, textAt(environment)), mode: 0o600 },
    ...(places.sysusers === undefined
      ? []
      : [{ path: join(root, places.sysusers), text: sysusersText(unit.dataDir), mode: 0o644 }]),
  ];
}

/** Writes them, with the folders that they need. */
export function writeFiles(files: readonly InstalledFile[]): void {
  for (const { path, text, mode } of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, text, { mode });
    // That of a file which was there, and of one that the umask has cut.
    chmodSync(path, mode);
  }
}

/** Removes the unit and the rule for its user; the environment file and the data stay. @returns what was removed */
export function removeFiles({ unit, sysusers }: Places, root: string): string[] {
  const paths = [unit, ...(sysusers === undefined ? [] : [sysusers])].map((path) => join(root, path));
  const found = paths.filter((path) => existsSync(path));
  for (const path of found) rmSync(path);
  return found;
}

/** The nearest folder above a file, or the file itself, that other users may not enter or read; `undefined` when all may. */
export function closedTo(path: string): string | undefined {
  if ((statSync(path).mode & 0o004) === 0) return path;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return folder;
  return undefined;
}

/** Runs a program of systemd's. The failure is what it says. */
type RunTool = (tool: string, args: readonly string[]) => Result<string, string>;

/** Runs it on this machine, and waits for its end. */
export const runTool: RunTool = (tool, args) => {
  const { status, stdout, stderr, error } = spawnSync(tool, args, { encoding: 'utf8' });
  if (error) return failure(`${tool} does not start: ${error.message}`);
  return status === 0 ? success(stdout) : failure(stderr.trim() || stdout.trim() || `${tool} ended with ${status}`);
};
