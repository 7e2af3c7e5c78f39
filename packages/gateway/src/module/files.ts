import {
  crc16,
  failure,
  formatCrc16,
  formatVersion,
  ignoreFailure,
  type Result,
  success,
  type Version,
} from '@moorage/base';
import { answerText, type Driver, type DriverFailure, driverFailure, quoted } from '../driver/driver.ts';
import { type ListedFile, parseListing, parseStat } from './reports.ts';
import { askText, askUntil } from './tables.ts';

/** Largest file, in bytes: the largest bulk flash. */
export const maxFileBytes = 128 * 1024 * 1024;

/** What is read at once of a file that is written, in pieces of a `stream_write`. */
const chunksOfBlock = 16;

/** How often a file is read until its bytes have its CRC. */
const maxReads = 3;

/** A file that is to be written. Its bytes are read as they are sent: an update may wait for a module for minutes. */
export interface WrittenFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly crc: number;
  /** Bytes `start` to `end`, exclusive. */
  readonly read: (start: number, end: number) => Promise<Uint8Array>;
  readonly version: Version;
  readonly type: number;
  /** Letters of `file_create`: `e` essential, `u` unprotected. */
  readonly letters: string;
}

/** What a file holds whose content is in memory. */
export const contentInMemory = (content: Uint8Array): Pick<WrittenFile, 'size' | 'crc' | 'read'> => ({
  size: content.length,
  crc: crc16(content),
  read: async (start, end) => content.subarray(start, end),
});

/** All files of a module, in its order. */
export const listFiles = (driver: Driver): Promise<Result<readonly ListedFile[], DriverFailure>> =>
  askUntil(driver, 'ls -v', parseListing);

/** Size and CRC of a file as the module has them; `undefined` when it has no such file. */
export async function statFile(
  driver: Driver,
  name: string,
): Promise<Result<{ readonly size: number; readonly crc: number } | undefined, DriverFailure>> {
  for (let attempt = 1; ; attempt++) {
    const answered = await driver.run(`file_stat ${quoted(name)}`);
    if (!answered.ok) return answered;
    if (answered.value.code !== 0) return success(undefined);
    const stat = parseStat(answerText(answered.value));
    if (stat) return success(stat);
    if (attempt === maxReads) return driverFailure('garbled', `The module tells no CRC of "${name}"`);
  }
}

type Sized = Pick<ListedFile, 'name' | 'size'>;

/** A content that is on its way beside the command line; `undefined` where that way is none. */
export type Fetching = Promise<Uint8Array | undefined> | undefined;

const beginFetch = (driver: Driver, { name, size }: Sized): Fetching =>
  driver.fetchFile?.(name, Math.min(size, maxFileBytes));

/** Begins to fetch files one after another, beside what the command line is asked meanwhile; `readFile` checks what comes. */
export function beginFetches(driver: Driver, files: readonly Sized[]): ReadonlyMap<string, Fetching> {
  let last: Fetching = Promise.resolve(undefined);
  const fetches = new Map<string, Fetching>();
  for (const file of driver.fetchFile ? files : []) {
    last = last.then(() => beginFetch(driver, file));
    fetches.set(file.name, last);
  }
  return fetches;
}

/** The content of a file, whose CRC has been checked. The error says why there is none. */
export async function readFile(
  driver: Driver,
  { name, size }: Sized,
  crc: number | undefined,
  fetching = beginFetch(driver, { name, size }),
): Promise<Result<Uint8Array, DriverFailure>> {
  const isWhole = (bytes: Uint8Array): boolean =>
    bytes.length === size &&
    (crc === undefined || crc16(bytes) === crc || crc16(bytes, undefined, 'ccitt-false') === crc);
  const fetched = await fetching;
  if (fetched && isWhole(fetched)) return success(fetched);
  for (let attempt = 1; ; attempt++) {
    const read = await readByStream(driver, name, size);
    if (!read.ok || isWhole(read.value)) return read;
    if (attempt === maxReads) return driverFailure('garbled', `What was read of "${name}" has another CRC`);
  }
}

async function readByStream(driver: Driver, name: string, size: number): Promise<Result<Uint8Array, DriverFailure>> {
  const opened = await openHandle(driver, `file_open ${quoted(name)}`, `"${name}"`);
  if (!opened.ok) return opened;
  const handle = opened.value;
  const pieces: Uint8Array[] = [];
  let left = size;
  while (left > 0) {
    const wanted = Math.min(left, driver.chunkBytes);
    const piece = await driver.run(`stream_read ${handle} ${wanted}`, { payloadBytes: wanted });
    if (piece.ok && piece.value.code === 0 && piece.value.bytes.length > 0) {
      pieces.push(piece.value.bytes);
      left -= piece.value.bytes.length;
      continue;
    }
    await giveBack(driver, handle);
    return piece.ok ? driverFailure('garbled', `Reading "${name}" ended with ${left} bytes left`) : piece;
  }
  // At the end of a file its stream closes by itself; a firmware that does not do so has it closed.
  await giveBack(driver, handle, name);
  return success(Buffer.concat(pieces));
}

/** The handle that a command opens; `what` is named where it is refused. */
async function openHandle(driver: Driver, line: string, what: string): Promise<Result<number, DriverFailure>> {
  const answered = await driver.run(line);
  if (!answered.ok) return answered;
  const text = answerText(answered.value);
  const handle = /^(\d{1,2})(?:,\d+)?$/.exec(text.split('\n').at(-1) ?? '')?.[1];
  if (answered.value.code === 0 && handle !== undefined) return success(Number(handle));
  return failure({ error: 'refused', detail: `The module refused ${what}: ${text.replaceAll('\n', ', ')}` });
}

/** Closes a stream, if it is still that of the file: its number may have another stream by now. */
async function giveBack(driver: Driver, handle: number, name = ''): Promise<void> {
  const listed = await askText(driver, 'stream_list');
  const rows = listed.ok ? listed.value.split('\n') : [];
  const own = rows.find((row) => new RegExp(`^#\\s*${handle}\\s+FILE\\s`).test(row));
  // A module that has gone has no streams.
  if (own?.includes(name)) ignoreFailure(await driver.run(`stream_close ${handle}`));
}

/** Deletes a file; nothing happens when there is none. */
export async function deleteFile(driver: Driver, name: string): Promise<Result<void, DriverFailure>> {
  const answered = await driver.run(`file_delete ${quoted(name)}`);
  if (!answered.ok) return answered;
  const left = await statFile(driver, name);
  if (!left.ok) return left;
  return left.value === undefined
    ? success(undefined)
    : driverFailure('refused', `The module does not delete "${name}"`);
}

/**
 * Writes a file that the module does not have, and reads its size and CRC back. A write that fails leaves nothing of the
 * file: it becomes valid with its last byte.
 */
export async function writeFile(driver: Driver, file: WrittenFile): Promise<Result<void, DriverFailure>> {
  const { name, size, crc, version, type, letters } = file;
  const flag = letters === '' ? '' : `-${letters} `;
  const facts = `${size} ${formatVersion(version)} ${type.toString(16).toUpperCase()} ${formatCrc16(crc)}`;
  const line = `file_create ${flag}-o ${quoted(name)} ${facts}`;
  const opened = await openHandle(driver, line, `"${name}" of ${size} bytes`);
  if (!opened.ok) return opened;
  const giveUp = (): Promise<void> => giveBack(driver, opened.value, name);
  const sent = await sendContent(driver, opened.value, file).catch(async (cause: unknown) => {
    // Where its bytes come from has failed.
    await giveUp();
    throw cause;
  });
  if (!sent.ok) {
    await giveUp();
    return sent;
  }
  const stat = await statFile(driver, name);
  if (!stat.ok) return stat;
  return stat.value?.size === size && stat.value.crc === crc
    ? success(undefined)
    : driverFailure('garbled', `The module has not kept "${name}" as it was sent`);
}

/** Sends all bytes of a file into an open stream, and never has more than a block of them. */
async function sendContent(
  driver: Driver,
  handle: number,
  { name, size, read }: WrittenFile,
): Promise<Result<void, DriverFailure>> {
  const blockBytes = driver.chunkBytes * chunksOfBlock;
  let block: Uint8Array = new Uint8Array();
  for (let from = 0; from < size; from += driver.chunkBytes) {
    const at = from % blockBytes;
    if (at === 0) block = await read(from, Math.min(size, from + blockBytes));
    const data = block.subarray(at, at + driver.chunkBytes);
    if (data.length === 0) return driverFailure('refused', `"${name}" is not all there to be sent`);
    const written = await driver.run(`stream_write ${handle} ${data.length}`, { data });
    if (!written.ok) return written;
    if (written.value.code !== 0)
      return driverFailure('refused', `The module refused byte ${from} of "${name}": ${answerText(written.value)}`);
  }
  return success(undefined);
}
