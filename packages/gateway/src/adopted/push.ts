import {
  type Clock,
  failure,
  ignoreFailure,
  parseVersion,
  type Result,
  type Store,
  sleep,
  success,
} from '@moorage/base';
import type { Installation, StoreFiles } from '@moorage/device';
import { answerText, type DriverFailure, driverFailure, quoted } from '../driver/driver.ts';
import { converge, isSame, lettersOf, type Target, writtenFile } from '../module/converge.ts';
import { listFiles, maxFileBytes, readFile, statFile } from '../module/files.ts';
import { packArchive } from '../rescue/archive.ts';
import { rescue } from '../rescue/rescue.ts';
import { backupName, isBackedUp, noteBackup } from './backups.ts';
import { forgetOld, keepOld, oldOf } from './journal.ts';
import type { ModuleLink } from './link.ts';
import type { Slots } from './slots.ts';

export interface PushParts {
  readonly link: ModuleLink;
  readonly clock: Clock;
  readonly store: Store;
  /** Of all modules of a gateway: each that is written to takes memory and a part of the network. */
  readonly slots: Slots;
  /** Where the files of updates are whole. */
  readonly files: Pick<StoreFiles, 'stat' | 'read'>;
  /** Keeps a rescue archive on the gateway's side. */
  readonly keepBackup: (name: string, archive: Uint8Array) => Promise<void>;
  /** Called with one sentence for each step. */
  readonly say: (text: string) => void;
}

/** Programs and radio firmware, which no command writes, and setup scripts. Reference: flash 2.1. */
const firmwareTypes: ReadonlySet<number> = new Set([0x00, 0x01, 0x80, 0x81]);
const scriptType = 0xfd;

/** How long a module that has gone is waited for, how often it is looked for, and how long its restart takes at least, in ms. */
const awayLimitMs = 600_000;
const lookMs = 5_000;
const restartMs = 3_000;

/** How often a write that the link has cut is taken up again, and how often a module that differs behind a restart is mended. */
const maxAttempts = 8;
const retryMs = 2_000;
const maxRounds = 3;

/** Longest run of a setup script, in ms. */
const scriptTimeoutMs = 120_000;

/**
 * Brings the files of an update into a module: a backup first, then the files that differ, each read back, then setup
 * scripts that are new, and a restart. It is done when the module answers again with all of them. What fails puts the files
 * back that were there before. Runs in a slot. The error is one sentence.
 */
export async function push(parts: PushParts, update: Installation): Promise<Result<void, string>> {
  const { clock, slots, store, say } = parts;
  if (update.waitMs > 0) await slots.rest(() => sleep(clock, update.waitMs));
  const wanted = wantedFiles(parts, update);
  if (!wanted.ok) return wanted;
  const changed = await prepare(parts, update, wanted.value);
  if (!changed.ok || changed.value.length === 0) return changed.ok ? success(undefined) : changed;
  const done = await applyFiles(parts, wanted.value, changed.value, update.signal);
  if (done.ok) await forgetOld(store);
  else if (!update.signal.aborted) {
    say(`${done.error}. What was there before is put back`);
    ignoreFailure(await putBack(parts, update.signal));
  }
  return done;
}

/** Finds what changes, and keeps what is there before: in an archive, and in the journal. The result is what changes. */
async function prepare(
  parts: PushParts,
  update: Installation,
  wanted: readonly Target[],
): Promise<Result<readonly Target[], string>> {
  const before = await parts.link.use((driver) => beforePush(driver, wanted), { patient: true });
  if (!before.ok) return failure(before.error.detail);
  const { olds, changed } = before.value;
  if (changed.length === 0) return success(changed);
  const firmware = changed.find(({ file }) => file && firmwareTypes.has(file.type));
  if (firmware) return failure(`"${firmware.name}" is firmware, which no command of a module writes`);
  const misfit = changed.find(({ file }) => file && (file.size === 0 || file.size > maxFileBytes));
  if (misfit) return failure(`"${misfit.name}" has ${misfit.file?.size} bytes: a module takes 1 to ${maxFileBytes}`);
  const backedUp = await backUp(parts, update);
  if (!backedUp.ok) return backedUp;
  if (update.signal.aborted) return failure('The gateway stops');
  const names = changed.map(({ name }) => name).join(', ');
  parts.say(`Writing ${names}; what was there before is kept until the module runs them`);
  await keepOld(parts.store, update.bundleId, olds);
  return success(changed);
}

/** Puts back what a push that came to no end has changed; nothing happens without one. Runs in a slot. */
export async function putBack(parts: PushParts, signal: AbortSignal): Promise<Result<boolean, string>> {
  const olds = await oldOf(parts.store);
  if (!olds) return success(false);
  const done = await applyFiles(parts, olds, [], signal);
  if (!done.ok) {
    parts.say(`${done.error}. What was there before is put back when the module answers`);
    return done;
  }
  await forgetOld(parts.store);
  parts.say('The module has again what it had before');
  return success(true);
}

function wantedFiles({ files }: PushParts, update: Installation): Result<readonly Target[], string> {
  const targets: Target[] = [];
  for (const { local: name, version: versionText, type, flags } of update.files) {
    const stat = files.stat(name);
    const version = parseVersion(versionText);
    if (!stat || !version.ok) return failure(`"${name}" of the bundle cannot be read`);
    const letters = lettersOf((flags.includes('e') ? 0x40 : 0) | (flags.includes('u') ? 0x100 : 0));
    const { size, crc } = stat;
    const read = (start: number, end: number): Promise<Uint8Array> => files.read(name, start, end);
    targets.push({ name, file: { name, size, crc, read, version: version.value, type, letters } });
  }
  return success(targets);
}

interface Before {
  /** What is there under the names that change. */
  readonly olds: readonly Target[];
  readonly changed: readonly Target[];
}

/** What a push would change. A file that cannot be read could not be put back: then nothing is begun. */
async function beforePush(
  driver: Parameters<Parameters<ModuleLink['use']>[0]>[0],
  wanted: readonly Target[],
): Promise<Result<Before, DriverFailure>> {
  const listed = await listFiles(driver);
  if (!listed.ok) return listed;
  const olds: Target[] = [];
  const changed: Target[] = [];
  for (const target of wanted) {
    const there = listed.value.find(({ name }) => name === target.name);
    const stat = there && (await statFile(driver, there.name));
    if (stat && !stat.ok) return stat;
    if (there && target.file && isSame(there, stat?.value?.crc, target.file)) continue;
    changed.push(target);
    const isWritten = target.file === undefined || !firmwareTypes.has(target.file.type);
    const isEmpty = there?.size === 0;
    const read = there && isWritten && !isEmpty ? await readFile(driver, there, stat?.value?.crc) : undefined;
    const content = isEmpty ? success(new Uint8Array()) : read;
    if (content && !content.ok)
      return driverFailure(
        'refused',
        `"${target.name}" cannot be read, so it could not be put back: ${content.error.detail}`,
      );
    olds.push({ name: target.name, file: there && content && writtenFile(there, content.value) });
  }
  return success({ olds, changed });
}

/** A rescue archive without passwords: kept beside the gateway, and among the files of the device at the service. */
async function backUp(
  { link, clock, store, keepBackup, say }: PushParts,
  update: Installation,
): Promise<Result<void, string>> {
  const taken = await link.use((driver) => rescue(driver, { clock }), { patient: true });
  if (!taken.ok) return failure(`There is no backup, so nothing is written: ${taken.error.detail}`);
  if (await isBackedUp(store, taken.value)) {
    say('Nothing has changed since the last backup');
    return success(undefined);
  }
  const archive = packArchive(taken.value);
  const name = backupName(taken.value, update.version);
  await keepBackup(name, archive);
  const kept = await update.keep(`backups/${name}`, archive);
  if (kept.ok) await noteBackup(store, taken.value);
  say(kept.ok ? `Backed up as backups/${name}` : `Backed up beside the gateway alone: ${kept.error.message}`);
  return success(undefined);
}

/** Makes the module hold these files, runs what is to be run, and restarts it until it says that it holds them. */
async function applyFiles(
  parts: PushParts,
  targets: readonly Target[],
  changed: readonly Target[],
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const written = await convergeFiles(parts, targets, signal);
  if (!written.ok) return written;
  for (const { name, file } of changed) {
    if (file?.type !== scriptType) continue;
    const run = await runScript(parts, name, signal);
    if (!run.ok) return run;
  }
  for (let round = 0; round < maxRounds; round++) {
    const restarted = await restart(parts, signal);
    if (!restarted.ok) return restarted;
    const differing = await convergeFiles(parts, targets, signal);
    if (!differing.ok || differing.value === 0) return differing.ok ? success(undefined) : differing;
  }
  return failure('The module comes back with other files than were written');
}

/** Writes what differs, however often the link is cut meanwhile. The result says how many files differed. */
async function convergeFiles(
  parts: PushParts,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<Result<number, string>> {
  // What is too large for the flash is found so before others are written.
  const largestFirst = targets.toSorted((a, b) => (b.file?.size ?? 0) - (a.file?.size ?? 0));
  for (let attempt = 1; ; attempt++) {
    const done = await parts.link.use((driver) => converge(driver, largestFirst), { patient: true });
    if (done.ok) return done;
    const { error, detail } = done.error;
    if (error === 'refused' || attempt === maxAttempts) return failure(detail);
    if (!(await hasComeBack(parts, signal, retryMs * attempt))) return failure(detail);
  }
}

async function runScript(parts: PushParts, name: string, signal: AbortSignal): Promise<Result<void, string>> {
  for (let attempt = 1; ; attempt++) {
    parts.say(`Running the setup script ${name}`);
    const run = await parts.link.use(
      (driver) => driver.run(`setup script ${quoted(name)}`, { timeoutMs: scriptTimeoutMs }),
      { patient: true },
    );
    // A script may end with a restart.
    if (run.ok && run.value.code === 0) return success(undefined);
    if (run.ok) return failure(`The setup script "${name}" failed: ${answerText(run.value).slice(-200)}`);
    if (!(await hasComeBack(parts, signal, retryMs * attempt))) return failure(run.error.detail);
    if (run.error.error === 'restarted') return success(undefined);
    if (attempt === maxRounds) return failure(`The setup script "${name}" has not ended: ${run.error.detail}`);
  }
}

async function restart(parts: PushParts, signal: AbortSignal): Promise<Result<void, string>> {
  parts.say('Restarting the module');
  // An answer may go with the power.
  ignoreFailure(await parts.link.use((driver) => driver.run('reboot'), { patient: true }));
  await parts.link.close();
  return (await hasComeBack(parts, signal, restartMs)) ? success(undefined) : failure('The module does not come back');
}

/** Waits for the module to answer, from so many ms on. */
const hasComeBack = ({ clock, link, slots }: PushParts, signal: AbortSignal, afterMs: number): Promise<boolean> =>
  slots.rest(async () => {
    await sleep(clock, afterMs);
    const untilMs = clock.monotonic() + awayLimitMs;
    while (!signal.aborted && clock.monotonic() < untilMs) {
      const asked = await link.use((driver) => driver.run('version'), { patient: true });
      if (asked.ok) return true;
      await sleep(clock, lookMs);
    }
    return false;
  });
