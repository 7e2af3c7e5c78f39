import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

const lockName = /^~lock\.(\d+)$/;

/** Takeovers tried before giving up; each failure means that another process was faster. */
const maxAttempts = 100;

export interface DiskLock {
  release(): Promise<void>;
}

/**
 * Takes a folder for this process alone; `undefined` when a living process has it.
 *
 * The host has no lock that dies with its owner and is open to every runtime, so the owner is named in a file. Locks
 * are numbered: the highest number counts, and who finds its owner dead creates the next one, which only one process
 * can. The one below stays, so that no process ever finds the folder without a lock while it changes hands.
 */
export async function lockFolder(folder: string): Promise<DiskLock | undefined> {
  const self = await describeProcess(process.pid);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const highest = Math.max(0, ...(await lockNumbers(folder)));
    if (highest > 0 && (await isAlive(await readOwner(folder, highest)))) return undefined;
    const mine = highest + 1;
    if (!(await createLock(folder, mine, self))) continue;
    for (const old of await lockNumbers(folder)) {
      if (old < mine - 1) await unlink(pathOf(folder, old)).catch(ignoreAbsence);
    }
    return { release: () => releaseLock(folder, mine) };
  }
  return undefined;
}

/** Only the owner calls this: a free folder is one whose highest lock names no process. */
async function releaseLock(folder: string, number: number): Promise<void> {
  await createLock(folder, number + 1, '');
  await unlink(pathOf(folder, number)).catch(ignoreAbsence);
}

/** Creates a lock file together with its text, in one step; false when it exists already. */
async function createLock(folder: string, number: number, owner: string): Promise<boolean> {
  const draft = join(folder, `~lock-${randomUUID()}.tmp`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(owner);
    await file.close();
    await link(draft, pathOf(folder, number));
    return true;
  } catch (cause) {
    // ENOENT: the owner has swept our draft away.
    if (errorCode(cause) === 'EEXIST' || errorCode(cause) === 'ENOENT') return false;
    throw cause;
  } finally {
    await unlink(draft).catch(ignoreAbsence);
  }
}

const pathOf = (folder: string, number: number): string => join(folder, `~lock.${number}`);

async function lockNumbers(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => lockName.exec(name)?.[1] ?? []).map(Number);
}

async function readOwner(folder: string, number: number): Promise<string> {
  try {
    return await readFile(pathOf(folder, number), 'utf8');
  } catch (cause) {
    ignoreAbsence(cause);
    return '';
  }
}

async function isAlive(owner: string): Promise<boolean> {
  const pid = Number.parseInt(owner, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (cause) {
    // EPERM: there is such a process, of another user.
    if (errorCode(cause) === 'ESRCH') return false;
  }
  return (await describeProcess(pid)) === owner;
}

/** A process id with the start time of the process, where the host gives it: ids are used again after a restart. */
async function describeProcess(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // Fields 3 and 22; the name in field 2 may have spaces and brackets of its own.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing any more.
    return fields[0] === 'Z' ? '' : `${pid} ${fields[19]} ${boot.trim()}`;
  } catch {
    return String(pid);
  }
}

function ignoreAbsence(cause: unknown): void {
  if (errorCode(cause) !== 'ENOENT') throw cause;
}
