import { readingStream, writingStream } from '../device/file-streams.ts';
import type { FileWriter, NewFile } from '../device/flash.ts';
import { defaultFileType, maxNameLength } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import {
  codes,
  type DataSink,
  discarding,
  fail,
  lines,
  needBytes,
  ok,
  type Reply,
  type Response,
} from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { listing, listingOrder, matchesName, statLine } from './file-listing.ts';
import { flagBits, isSecretFile, refuseFile } from './file-reasons.ts';

/** More than the largest bulk flash; whether an area has room is for the flash to say. */
const maxFileBytes = 128 * 1024 * 1024;

const newFileName = { kind: 'word', maxLength: maxNameLength, help: 'name of the file' } as const;
const fileName = { ...newFileName, kind: 'file' } as const;

const fileCreate = defineCommand({
  name: 'file_create',
  shortcut: 'fcr',
  group: 'file',
  spec: 'MOD-CMD-file_create',
  evidence: 'spec',
  summary: 'Create a file',
  example: 'file_create hello.txt 5',
  announces: ({ words, switches }) => (switches.has('open') ? undefined : words.slice(1)),
  // Spec: MOD-RULE-option-order.
  optionOrder: 'stated',
  options: {
    letters: { kind: 'letters', letters: 'eu', help: 'e: essential, u: unprotected' },
    open: { kind: 'switch', flag: '-o', help: 'return a stream handle; the data is written with stream_write' },
  },
  args: {
    name: newFileName,
    size: { kind: 'int', min: 1, max: maxFileBytes, help: 'size in bytes' },
    // Spec: MOD-FILE-version-parts.
    version: { kind: 'version', optional: true, help: 'version, 1.0.0 when it is left out' },
    type: { kind: 'hex', max: 0xff, optional: true, help: 'file type in hex, FE when it is left out' },
    crc: { kind: 'hex', max: 0xffff, optional: true, help: 'CRC16-CCITT of the data, in hex' },
  },
  run: async (board, { letters, open, name, size, version, type, crc }) => {
    const file: NewFile = {
      name,
      size,
      // Spec: MOD-VER-1.
      version: version ?? [1, 0, 0, 0],
      type: type ?? defaultFileType,
      flags: flagBits(letters),
      crc,
    };
    return open ? createByStream(board, file) : createInline(board, file);
  },
});

/** Spec: MOD-OPT-file_create-o. The file is valid and its stream closed when the last byte has been written. */
async function createByStream(board: Board, file: NewFile): Promise<Reply> {
  if (!board.streams.hasFree) return noHandle(board);
  const writer = await board.flash.place(file);
  if (!writer.ok) return refuseFile(board, writer.error);
  const handle = board.streams.open(writingStream(file, writer.value));
  if (handle.ok) return ok(String(handle.value));
  await writer.value.abandon();
  return noHandle(board);
}

/**
 * The data follows the line; it is taken even for a file that is refused, or it would be read as commands. What can never
 * fit is refused before any data comes: a host that asks for so much tests for room and has nothing to send.
 */
async function createInline(board: Board, file: NewFile): Promise<Reply> {
  const writer = await board.flash.place(file);
  if (!writer.ok && !board.flash.couldHold(file.size)) return { ...refuseFile(board, writer.error), leavesData: true };
  if (!writer.ok)
    return needBytes(
      file.size,
      discarding(() => refuseFile(board, writer.error)),
    );
  return needBytes(file.size, fileSink(board, writer.value));
}

const fileSink = (board: Board, writer: FileWriter): DataSink => ({
  write: (chunk) => writer.append(chunk),
  end: async () => {
    const made = await writer.finish();
    return made.ok ? ok(board.personality.text('fileCreated')) : refuseFile(board, made.error);
  },
  abort: () => writer.abandon(),
});

const fileDelete = defineCommand({
  name: 'file_delete',
  shortcut: 'fde',
  group: 'file',
  spec: 'MOD-CMD-file_delete',
  evidence: 'spec',
  summary: 'Delete a file',
  example: 'file_delete hello.txt',
  args: { name: fileName },
  run: async (board, { name }) => {
    const removed = await board.flash.remove(name);
    if (!removed.ok) return refuseFile(board, removed.error);
    board.log.say('fileDeleted');
    return ok(board.personality.text('success'));
  },
});

const fileOpen = defineCommand({
  name: 'file_open',
  shortcut: 'fop',
  group: 'file',
  spec: 'MOD-CMD-file_open',
  evidence: 'spec',
  summary: 'Open a file for reading',
  example: 'file_open hello.txt',
  args: { name: fileName },
  run: (board, { name }) => {
    const file = board.flash.stat(name);
    if (!file) return refuseFile(board, 'missing');
    if (isSecretFile(file)) return refuseFile(board, 'protected');
    const handle = board.streams.open(readingStream(board.flash, file));
    return handle.ok ? ok(String(handle.value)) : noHandle(board);
  },
});

const fileStat = defineCommand({
  name: 'file_stat',
  shortcut: 'fst',
  group: 'file',
  spec: 'MOD-CMD-file_stat',
  evidence: 'spec',
  summary: 'Print the statistics of a file',
  example: 'file_stat hello.txt',
  args: { name: fileName },
  run: (board, { name }) => {
    const file = board.flash.stat(name);
    return file ? ok(statLine(file)) : refuseFile(board, 'missing');
  },
});

const ls = defineCommand({
  name: 'ls',
  shortcut: 'ls',
  group: 'file',
  spec: 'MOD-CMD-ls',
  evidence: 'seen',
  summary: 'List the files',
  example: 'ls -v *.html',
  safeMode: true,
  options: {
    verbose: { kind: 'switch', flag: '-v', help: 'all fields' },
    internal: { kind: 'switch', flag: '-i', help: 'files in internal flash' },
    extended: { kind: 'switch', flag: '-e', help: 'files in extended flash' },
    bulk: { kind: 'switch', flag: '-b', help: 'files in bulk flash' },
  },
  args: { filter: { kind: 'file', optional: true, help: 'beginning of the names, or a pattern with * and ?' } },
  run: (board, { verbose, internal, extended, bulk, filter }) => {
    const areas = `${internal ? 'i' : ''}${extended ? 'e' : ''}${bulk ? 'b' : ''}` || 'ieb';
    const files = board.flash
      .list()
      .filter((file) => areas.includes(file.area) && matchesName(filter ?? '', file.name))
      .toSorted(listingOrder);
    return lines(listing(board.personality, files, verbose));
  },
});

const formatFlash = defineCommand({
  name: 'format_flash',
  shortcut: 'format',
  group: 'file',
  spec: 'MOD-CMD-format_flash',
  evidence: 'spec',
  summary: 'Erase bulk or extended flash',
  example: 'format_flash bulk 4C:55:CC:10:78:9B',
  safeMode: true,
  args: {
    area: { kind: 'choice', choices: ['bulk', 'extended'], help: 'the flash to erase' },
    mac: { kind: 'word', help: "the module's MAC address, as a safeguard" },
  },
  run: async (board, { area, mac }) => {
    if (mac.toUpperCase() !== board.identity.mac) return fail(codes.INVALID);
    const letter = area === 'bulk' ? 'b' : 'e';
    if (board.flash.areaUnits(letter) === 0) {
      board.log.say('noBulkFlash');
      return fail(codes.FAILED);
    }
    await board.flash.format(letter);
    return ok(board.personality.text('success'));
  },
});

function noHandle(board: Board): Response {
  board.log.say('noFreeStream');
  return fail(codes.FAILED);
}

export const fileCommands: readonly Command<Board>[] = [fileCreate, fileDelete, fileOpen, fileStat, formatFlash, ls];
