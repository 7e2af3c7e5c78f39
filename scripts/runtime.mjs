// Which Node runs the sources. This file and everything it imports must run on Node 20.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** On Windows Ctrl-C and the end of the terminal reach each process, and a signal that is sent ends its receiver on the spot. */
export function passSignal(child, signal, platform = process.platform) {
  if (platform !== 'win32') child.kill(signal);
}

/** Exit code when no suitable Node can be found (EX_SOFTWARE). */
const exitNoRuntime = 70;

/** Sources, SQLite and argon2 run as they are since 24.7; up to 24.21 each TLS connection with a certificate keeps memory. */
const neededMajor = 26;

const isNewEnough = Number.parseInt(process.versions.node, 10) >= neededMajor;

/** The packaged Node is linked with it, as all releases since 25 are; small systems lack it. */
const library = 'libatomic.so.1';
const machine = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
const libraryFolders = [
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib'],
  ...[`/lib/${machine}-linux-gnu`, `/usr/lib/${machine}-linux-gnu`],
  ...(process.env.LD_LIBRARY_PATH ?? '').split(':').filter(Boolean),
];

/** What a person is told whose system lacks a library of the packaged Node; nothing where it is there, or not needed. */
export function missingLibrary(isThere = existsSync, isNeeded = process.platform === 'linux' && !isNewEnough) {
  if (!isNeeded || libraryFolders.some((folder) => isThere(join(folder, library)))) return undefined;
  return `The Node that npm brings needs ${library}: install it (libatomic1 on Debian and Ubuntu, libatomic on others), or Node ${neededMajor}`;
}

/** Ends the process where the packaged Node cannot run. */
export function demandLibrary() {
  const missing = missingLibrary();
  if (missing === undefined) return;
  process.stderr.write(`moorage: ${missing}\n`);
  process.exit(exitNoRuntime);
}

/** Path of a Node that runs TypeScript sources and has SQLite and argon2 built in; `undefined` when there is none. */
export function findRuntime() {
  if (isNewEnough) return process.execPath;
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

/** Systems for which a package brings a Node, in package.json. */
const broughtFor = ['linux-x64', 'linux-arm64'];

/** What a person is told who has no Node that is new enough. */
export function missingRuntime(version, system) {
  const why = broughtFor.includes(system)
    ? `the package that brings it could not be installed for ${system}`
    : `no package brings it for ${system}: install it yourself`;
  return `Node ${neededMajor} or newer is needed; this is ${version}, and ${why}`;
}

/**
 * Runs `args` under the right Node with this process's standard streams; its signals and exit code become ours.
 * The child notices through the channel when this process is killed, and goes with it.
 */
export function runUnder(args, env = process.env) {
  const runtime = findRuntime();
  if (!runtime) {
    process.stderr.write(`moorage: ${missingRuntime(process.version, `${process.platform}-${process.arch}`)}\n`);
    process.exit(exitNoRuntime);
  }
  demandLibrary();
  const child = spawn(runtime, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passSignal(child, signal));
  child.on('error', (error) => {
    process.stderr.write(`moorage: ${runtime} does not start: ${error.message}\n`);
    process.exit(exitNoRuntime);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}
