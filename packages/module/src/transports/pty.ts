import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { lstat, readlink, rename, symlink, unlink } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { failure, type Result, success } from '@moorage/base';
import { type PtyTimings, ptyStream, ptyTimings } from './pty-stream.ts';

interface PtyPort {
  /** What the other side opens. */
  readonly path: string;
  readonly stream: Duplex;
  close(): Promise<void>;
}

const hint = 'a TCP port works everywhere: --serial tcp:127.0.0.1:0';

/**
 * Makes a pseudo-terminal that passes every byte as it is, and a symbolic link to it if `link` is given. It outlives
 * the programs that open and close it: this process keeps it open too.
 */
export async function openPty(
  link: string | undefined,
  timings: PtyTimings = ptyTimings,
  platform: NodeJS.Platform = process.platform,
): Promise<Result<PtyPort, string>> {
  if (platform !== 'linux') return failure(`Pseudo-terminals are made on Linux alone; ${hint}`);
  let port: PtyPort;
  try {
    port = await makePty(timings);
  } catch (error) {
    return failure(`Cannot get a pseudo-terminal (${messageOf(error)}); mount /dev/pts to have them, or ${hint}`);
  }
  if (link === undefined) return success(port);
  const linked = await replaceLink(link, port.path).catch((error: unknown) => failure(messageOf(error)));
  if (linked.ok) return success({ ...port, close: () => port.close().then(() => removeLink(link, port.path)) });
  await port.close();
  return failure(`Cannot make the link "${link}" to the pseudo-terminal: ${linked.error}`);
}

async function makePty(timings: PtyTimings): Promise<PtyPort> {
  // Loaded late: the package has no binary for some systems, and most modules have no pseudo-terminal.
  const { open } = (await import('@lydell/node-pty')) as unknown as { open: OpenPty };
  const { master, slave, ptsName, fd } = open({ encoding: null });
  // The package's own reader of the slave would take our output away from the program that opens it.
  slave.destroy();
  const held = openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  const stream = ptyStream({ master, masterFd: fd, heldFd: held }, timings);
  const close = async (): Promise<void> => {
    stream.destroy();
    closeSync(held);
  };
  try {
    await promisify(execFile)('stty', ['-F', ptsName, 'raw', '-echo']);
  } catch (error) {
    await close();
    throw error;
  }
  return { path: ptsName, stream, close };
}

/** What the package's `open` returns; its type declarations leave it out. */
type OpenPty = (options: { encoding: null }) => {
  readonly master: Duplex;
  readonly slave: Duplex;
  readonly ptsName: string;
  readonly fd: number;
};

/** Replaces an older link in one step, but nothing that is not a link. */
async function replaceLink(link: string, path: string): Promise<Result<void, string>> {
  const old = await lstat(link).catch(() => undefined);
  if (old && !old.isSymbolicLink()) return failure('there is a file of that name');
  const temporary = `${link}.${process.pid}.new`;
  await symlink(path, temporary);
  await rename(temporary, link);
  return success(undefined);
}

/** Another module may have taken the link over; then it is not ours to remove. */
async function removeLink(link: string, path: string): Promise<void> {
  if ((await readlink(link).catch(() => undefined)) === path) await unlink(link).catch(() => {});
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).trim();
