import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { delimiter, dirname } from 'node:path';

/** Whether these programs are there. */
export const hasPrograms = (...names: readonly string[]): boolean =>
  names.every((name) => spawnSync(name, ['--version']).status === 0);

/**
 * How a block of a guide runs: it ends at the first failure. Without the start-up files, which bash reads as well when
 * its input is a socket and no shell is above it; those of a machine may print, or use what is not set.
 */
export const bashArgs: readonly string[] = ['--norc', '--noprofile', '-euo', 'pipefail'];

/** All that a guide relies on, so that a reader's shell and the runner of the tests make no difference. */
export const guideEnv = (): Readonly<Record<string, string>> => ({
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  LC_ALL: 'C.UTF-8',
});

/** What commands have printed by their end, and how that was; killed after `timeoutMs`. */
export function runScript(script: string, timeoutMs = 60_000) {
  return spawnSync('bash', [...bashArgs, '-c', script], {
    encoding: 'utf8',
    env: guideEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
}
