import { defined } from '@moorage/base';
import type { CloudStream, MessagePart } from '../cloud/message-streams.ts';
import { codes, fail, lines, ok, type Response } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { refuse, sayWhy } from './cloud-refusals.ts';
import { refuse as refuseStream } from './stream-io.ts';

interface Filter {
  readonly time: number | undefined;
  readonly count: number | undefined;
}

/** Spec: MOD-OPT-cloud_message-list, MOD-OPT-cloud_message-list-t, MOD-OPT-cloud_message-list-c. */
async function list(board: Board, { time, count }: Filter): Promise<Response> {
  const query = defined({ since: time, count });
  const listed = await board.messages.list(query);
  if (!listed.ok) return refuse(board, listed.error);
  const { personality } = board;
  const rows = listed.value.map(({ id, timestamp, length }, index) =>
    personality.row('messages', index, id, timestamp, length),
  );
  return lines([personality.text('messageListHead'), ...rows]);
}

const parts: Readonly<Record<string, MessagePart>> = { all: 'all', body: 'body' };
const partOf = (word: string | undefined): MessagePart | undefined =>
  word !== undefined && Object.hasOwn(parts, word) ? parts[word] : undefined;

/** Spec: MOD-OPT-cloud_message-get. Either word may be missing. */
async function get(board: Board, words: readonly string[], signal: AbortSignal): Promise<Response> {
  const [first, second] = words;
  const alone = second === undefined ? partOf(first) : undefined;
  const part = alone ?? (second === undefined ? 'data' : partOf(second));
  if (part === undefined) return fail(codes.INVALID);
  // It is not worth a connection.
  if (!board.streams.hasFree) return refuseStream(board, 'no-handle');
  const message = await board.messages.get(alone ? undefined : first, part);
  if (signal.aborted) return fail(codes.FAILED);
  return message.ok ? open(board, message.value) : refuse(board, message.error);
}

function open(board: Board, stream: CloudStream): Response {
  const opened = board.streams.open(stream);
  return opened.ok ? ok(String(opened.value)) : refuseStream(board, opened.error);
}

/** Spec: MOD-OPT-cloud_message-post. */
function post(board: Board): Response {
  if (!board.cloud.activated) return refuse(board, { kind: 'not-activated' });
  return open(
    board,
    board.messages.post((refusal) => sayWhy(board, refusal)),
  );
}

/** Spec: MOD-OPT-cloud_message-delete. */
async function remove(board: Board, which: string): Promise<Response> {
  const removed = await board.messages.remove(which);
  return removed.ok ? ok(board.personality.text('success')) : refuse(board, removed.error);
}

/** How many words each action takes behind it. */
const actionWords = { delete: [1, 1], get: [0, 2], list: [0, 0], post: [0, 0] } as const;

export const cloudMessage = defineCommand({
  name: 'cloud_message',
  shortcut: 'gme',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_message',
  evidence: 'spec',
  summary: 'Read messages to the device, and post messages from it',
  example: 'cloud_message list -c 10',
  waitsFor: 'service',
  syntax: 'cloud_message list [-t <time> / -c <count>] / get [<index/id>] [<all/body>] / post / delete <index/id>',
  options: {
    time: {
      kind: 'value',
      flag: '-t',
      value: { kind: 'int', min: 0, max: 4_294_967_295, help: 'epoch seconds' },
      help: 'only messages newer than this time',
    },
    count: {
      kind: 'value',
      flag: '-c',
      value: { kind: 'int', min: 1, max: 50, help: 'number of messages' },
      help: 'only the newest ones',
    },
  },
  args: {
    action: { kind: 'choice', choices: ['list', 'get', 'post', 'delete'], help: 'what to do' },
    which: { kind: 'word', maxLength: 64, optional: true, help: 'index in the last list, or id of a message' },
    part: {
      kind: 'word',
      offers: ['all', 'body'],
      maxLength: 8,
      optional: true,
      help: 'all: with headers as JSON; body: as JSON',
    },
  },
  run: (board, { action, which, part, time, count }, { signal }) => {
    const words = [which, part].filter((word) => word !== undefined);
    const [least, most] = actionWords[action];
    if (words.length < least) return fail(codes.TOO_FEW);
    const filtered = time !== undefined || count !== undefined;
    if (words.length > most || (filtered && action !== 'list')) return fail(codes.TOO_MANY);
    if (action === 'list') return list(board, { time, count });
    if (action === 'get') return get(board, words, signal);
    return action === 'post' ? post(board) : remove(board, which ?? '');
  },
});
