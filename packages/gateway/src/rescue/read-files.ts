import { type Result, success } from '@moorage/base';
import type { Driver, DriverFailure } from '../driver/driver.ts';
import { type Fetching, maxFileBytes, readFile, statFile } from '../module/files.ts';
import { filesIn } from '../module/lenient.ts';
import { type ListedFile, parseListing } from '../module/reports.ts';
import { askText, askUntil } from '../module/tables.ts';
import { maxUnpackedBytes, type RescuedFile } from './archive.ts';
import type { RescueOptions, Unread } from './options.ts';

/** Bits of files that never leave a module: executable, encrypted, system, bootable. */
const closedFlags = 0x1e;

/** Most files of a list that are looked at, and the most bytes that are read of all together. */
const maxFiles = 2_000;
const maxTotalBytes = maxUnpackedBytes - 64 * 1024 * 1024;

/** Longest name of a file, in characters. */
const maxNameLength = 256;

interface Listing {
  readonly text: string;
  readonly files: readonly ListedFile[];
}

/** The list of files; of one in another form names and sizes. What is no list leaves none. */
export async function readListing(driver: Driver, unread: Unread): Promise<Result<Listing, DriverFailure>> {
  const listed = await askUntil(driver, 'ls -v', (text) => {
    const parsed = parseListing(text);
    return parsed.ok ? success({ text, files: parsed.value }) : parsed;
  });
  if (listed.ok || listed.error.error === 'unreachable') return listed;
  for (const line of ['ls -v', 'ls']) {
    const text = await askText(driver, line);
    if (!text.ok && text.error.error === 'unreachable') return text;
    const files = text.ok ? filesIn(text.value) : text;
    if (!text.ok || !files.ok) continue;
    unread.push({ what: line, why: 'its columns are others: it has names and sizes alone', kind: 'failed' });
    return success({ text: text.value, files: files.value });
  }
  unread.push({ what: 'ls -v', why: listed.error.detail, kind: 'failed' });
  return success({ text: '', files: [] });
}

/** Files within what an archive holds; what is not is listed, by its name. */
export function readable(files: readonly ListedFile[], unread: Unread): readonly ListedFile[] {
  let totalBytes = 0;
  const names = new Set<string>();
  const leaveOut = (what: string, why: string): boolean => {
    unread.push({ what: what.slice(0, maxNameLength), why, kind: 'failed' });
    return false;
  };
  const taken = files.slice(0, maxFiles).filter(({ name, size }) => {
    if (name.length > maxNameLength) return leaveOut(name, `its name has over ${maxNameLength} characters`);
    if (names.has(name)) return leaveOut(name, 'it is listed twice');
    names.add(name);
    if (size > maxFileBytes || totalBytes + size > maxTotalBytes)
      return leaveOut(name, `it has ${size} bytes, more than an archive takes`);
    totalBytes += size;
    return true;
  });
  if (files.length > maxFiles) leaveOut('ls -v', `it has ${files.length} files, of which ${maxFiles} are read`);
  return taken;
}

interface FileContext {
  readonly fetches: ReadonlyMap<string, Fetching>;
  readonly options: RescueOptions;
  readonly unread: Unread;
}

/** The contents of files, each with its CRC where the module tells one. */
export async function readFiles(
  driver: Driver,
  listed: readonly ListedFile[],
  { fetches, options, unread }: FileContext,
): Promise<Result<readonly RescuedFile[], DriverFailure>> {
  const totalBytes = listed.reduce((sum, { size }) => sum + size, 0);
  let readBytes = 0;
  const files: RescuedFile[] = [];
  const unchecked: string[] = [];
  for (const file of listed) {
    options.onProgress?.(readBytes, totalBytes);
    const stat = await statFile(driver, file.name);
    if (!stat.ok && stat.error.error === 'unreachable') return stat;
    const crc = stat.ok ? stat.value?.crc : undefined;
    const content = options.withoutContents ? undefined : await contentOf(driver, file, crc, fetches.get(file.name));
    readBytes += file.size;
    if (content && !content.ok && content.error.error === 'unreachable') return content;
    if (content && !content.ok) {
      const kind = isClosed(file) ? 'closed' : 'failed';
      unread.push({ what: file.name, why: content.error.detail, kind });
    } else if (crc === undefined && file.size > 0) unchecked.push(file.name);
    files.push({ ...file, crc, content: content?.ok ? content.value : undefined });
  }
  if (unchecked.length > 0)
    unread.push({
      what: 'file_stat',
      why: `it tells no CRC: what was read of ${unchecked.length} files is unchecked`,
      kind: 'failed',
    });
  options.onProgress?.(totalBytes, totalBytes);
  return success(files);
}

const isClosed = ({ flags }: ListedFile): boolean => (flags & closedFlags) !== 0;

async function contentOf(
  driver: Driver,
  file: ListedFile,
  crc: number | undefined,
  fetching: Fetching,
): Promise<Result<Uint8Array, DriverFailure>> {
  if (file.size === 0) return success(new Uint8Array());
  const read = await readFile(driver, file, crc, fetching);
  if (read.ok || !isClosed(file) || read.error.error === 'unreachable') return read;
  return { ok: false, error: { error: 'garbled', detail: 'the module does not give out such files' } };
}
