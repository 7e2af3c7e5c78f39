import type { Stream, StreamError } from '../device/streams.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, ok } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { maxReadBytes, readReply, refuse, writeReply } from './stream-io.ts';

const maxWriteBytes = 128 * 1024 * 1024;

/** Handles are small; a number that none can have is an unknown handle, not a wrong argument. */
const handleArg = { kind: 'int', min: 0, max: 65_535, help: 'stream handle' } as const;

/** `all`, or a handle; `undefined` for anything else. */
function parseTarget(text: string): 'all' | number | undefined {
  if (text === 'all') return 'all';
  return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** The prefix of the cloud is spelled as the personality has it. Spec: MOD-STREAM-CLOUD. */
const typeText = ({ personality }: Board, { type }: Stream): string =>
  type === 'CLOUD' ? personality.cloudPrefix.toUpperCase() : type;

const streamList = defineCommand({
  name: 'stream_list',
  shortcut: 'list',
  group: 'stream',
  spec: 'MOD-CMD-stream_list',
  evidence: 'spec',
  summary: 'List the open streams',
  example: 'stream_list',
  args: { handle: { ...handleArg, optional: true } },
  run: (board, { handle }) => {
    // Spec: MOD-STREAM-list.
    if (handle === undefined) {
      const rows = board.streams
        .list()
        .map((open) =>
          board.personality.row('streamList', open.handle, typeText(board, open.stream), open.stream.info()),
        );
      return lines([board.personality.text('streamListHead'), ...rows]);
    }
    const stream = board.streams.get(handle);
    return stream ? ok(`${typeText(board, stream).padEnd(6)}${stream.info()}`) : refuse(board, 'unknown-handle');
  },
});

const streamPoll = defineCommand({
  name: 'stream_poll',
  shortcut: 'poll',
  group: 'stream',
  spec: 'MOD-CMD-stream_poll',
  evidence: 'seen',
  summary: 'Tell whether streams have data to read',
  example: 'stream_poll 0 -c',
  options: { count: { kind: 'switch', flag: '-c', help: 'add the number of bytes' } },
  args: { handle: { kind: 'word', offers: ['all'], help: 'stream handle, or all' } },
  syntax: 'stream_poll <handle/all> [-c]',
  run: (board, { handle, count }) => {
    const target = parseTarget(handle);
    if (target === undefined) return fail(codes.INVALID);
    if (target === 'all') {
      const handles = board.streams.list().map((entry) => entry.handle);
      return ok(
        handles.map((each) => pollText(board, each, { named: true, count })).join('|') ||
          board.personality.text('none'),
      );
    }
    const text = pollText(board, target, { named: count, count });
    return text === undefined ? refuse(board, 'unknown-handle') : ok(text);
  },
});

/** `<state>`, `<handle>,<state>` or `<handle>,<state>,<bytes>`. */
function pollText(
  board: Board,
  handle: number,
  { named, count }: { readonly named: boolean; readonly count: boolean },
): string | undefined {
  const state = board.streams.poll(handle);
  if (!state.ok) return undefined;
  const bytes = board.streams.get(handle)?.available() ?? 0;
  return [...(named ? [handle] : []), state.value, ...(count ? [bytes] : [])].join(',');
}

const streamRead = defineCommand({
  name: 'stream_read',
  shortcut: 'read',
  group: 'stream',
  spec: 'MOD-CMD-stream_read',
  evidence: 'seen',
  summary: 'Read data from a stream',
  example: 'stream_read 0 100',
  waitsFor: 'data',
  args: {
    handle: handleArg,
    size: { kind: 'int', min: 1, max: maxReadBytes, help: 'most bytes to read' },
  },
  run: (board, { handle, size }, { signal }) => readReply(board, handle, size, signal),
});

const streamWrite = defineCommand({
  name: 'stream_write',
  shortcut: 'write',
  group: 'stream',
  spec: 'MOD-CMD-stream_write',
  evidence: 'seen',
  summary: 'Write data to a stream',
  example: 'stream_write 0 5',
  waitsFor: 'peer',
  announces: ({ words }) => words.slice(1),
  args: {
    handle: handleArg,
    size: { kind: 'int', min: 1, max: maxWriteBytes, help: 'number of bytes that follow' },
  },
  run: (board, { handle, size }, { signal }) => {
    const room = board.streams.get(handle)?.writeRoom?.() ?? size;
    // Spec: MOD-VAR-bus.command.write_check_enabled, MOD-ERR-9. None of the data is read then.
    if (size > room && board.variables.get('bus.command.write_check_enabled'))
      return { ...fail(codes.BOUNDS), leavesData: true };
    return writeReply(board, size, board.streams.write(handle, size), signal);
  },
});

const streamClose = defineCommand({
  name: 'stream_close',
  shortcut: 'close',
  group: 'stream',
  spec: 'MOD-CMD-stream_close',
  evidence: 'seen',
  summary: 'Close a stream, or all',
  example: 'stream_close all',
  args: { handle: { kind: 'word', offers: ['all'], help: 'stream handle, or all' } },
  syntax: 'stream_close <handle/all>',
  run: async (board, { handle }) => {
    const target = parseTarget(handle);
    if (target === undefined) return fail(codes.INVALID);
    const handles = target === 'all' ? board.streams.list().map((entry) => entry.handle) : [target];
    let refused: StreamError | undefined;
    for (const each of handles) {
      const closed = await board.streams.close(each);
      // With `all`, closing one may end another.
      if (!closed.ok && !(target === 'all' && closed.error === 'unknown-handle')) refused ??= closed.error;
    }
    return refused === undefined ? ok(board.personality.text('success')) : refuse(board, refused);
  },
});

export const streamCommands: readonly Command<Board>[] = [streamClose, streamList, streamPoll, streamRead, streamWrite];
