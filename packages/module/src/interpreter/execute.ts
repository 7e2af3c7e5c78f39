import type { SessionBoard } from './board-port.ts';
import { refusalTexts } from './board-port.ts';
import type { SessionPort } from './command.ts';
import { DataFeed } from './data-feed.ts';
import { dispatch } from './dispatch.ts';
import { payloadBytes } from './framing.ts';
import { keepIfBuffered } from './kept-output.ts';
import type { Registry } from './registry.ts';
import { codes, fail, type Reply, type Response, type ResponseCode } from './reply.ts';
import { decodeText, encodeText } from './text.ts';

/** What a command answers to a caller without a serial line. */
export interface Execution {
  readonly code: ResponseCode;
  /** The response text with its final CR LF, never a header, prompt, echo or log line; empty when there is none. */
  readonly payload: Uint8Array;
  /** The same as text, without the final CR LF. */
  readonly text: string;
}

/** Longest command line that is not typed, in bytes: what a request to the HTTP server may have. */
const maxCallLineBytes = 4096;

/** Nobody types here: questions stay unanswered. */
const callPort: SessionPort = { kind: 'http', ask: () => Promise.resolve(undefined) };

/**
 * Runs one command line for a caller that sends it whole, such as the HTTP server. Inline data comes in `data`; when
 * it is too short the command fails, and what is too much is ignored. Rejects only when the command has a mistake in
 * it. Work that follows the response, such as a reboot, goes on after the promise has resolved.
 * Spec: reference module-commands 7.
 */
export async function execute<Board extends SessionBoard>(
  board: Board & { readonly registry: Registry<Board> },
  line: string,
  data: Uint8Array = new Uint8Array(),
): Promise<Execution> {
  if (encodeText(line).length > maxCallLineBytes) return finish(board, fail(codes.OVERFLOW));
  const reply = await dispatch(board, board.registry, line, callPort);
  if (reply.kind === 'silence' || reply.kind === 'empty') return { code: codes.SUCCESS, payload: noBytes, text: '' };
  const response = reply.kind === 'data' ? await supply(board, reply, data) : reply;
  const execution = finish(board, keepIfBuffered(board, line, response));
  const { after } = response;
  // A macrotask later, so that whoever called has sent the answer before the module goes down.
  if (after) board.clock.after(0, () => void Promise.resolve(board.queue.run(after) ?? after()));
  return execution;
}

async function supply(
  board: SessionBoard,
  request: Extract<Reply, { kind: 'data' }>,
  data: Uint8Array,
): Promise<Response> {
  const mistakes: unknown[] = [];
  const feed = new DataFeed(request, (error) => mistakes.push(error));
  if (request.size > 0) await feed.write(data.subarray(0, request.size));
  const response = feed.remaining > 0 ? await feed.abort() : await (board.queue.run(() => feed.end()) ?? feed.abort());
  if (mistakes.length > 0) throw new Error('The sink of inline data failed', { cause: mistakes[0] });
  return response;
}

function finish(board: SessionBoard, response: Response): Execution {
  const payload =
    response.code === codes.SUCCESS ? response.payload : board.personality.text(refusalTexts[response.code]);
  if (payload.length === 0) return { code: response.code, payload: noBytes, text: '' };
  const bytes = payloadBytes({ ...response, payload });
  return { code: response.code, payload: bytes, text: decodeText(bytes.subarray(0, -2)) };
}

const noBytes = new Uint8Array();
