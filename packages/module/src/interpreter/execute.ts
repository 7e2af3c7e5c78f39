import type { SessionBoard } from './board-port.ts';
import { refusalTexts } from './board-port.ts';
import type { SessionPort } from './command.ts';
import { DataFeed } from './data-feed.ts';
import { payloadBytes, payloadText } from './framing.ts';
import { keepIfBuffered } from './kept-output.ts';
import { prepare } from './prepare.ts';
import type { Registry } from './registry.ts';
import { codes, type DataRequest, fail, type Reply, type Response, type ResponseCode } from './reply.ts';
import { encodeText } from './text.ts';

/** What a command answers to a caller without a serial line. */
export interface Execution {
  readonly code: ResponseCode;
  /** The response text with its final CR LF, never a header, prompt, echo or log line; empty when there is none. */
  readonly payload: Uint8Array;
  /** The same as text, without the final CR LF. */
  readonly text: string;
  /** The command takes data, and none was given. */
  readonly wantsData?: true;
}

/** Longest command line that is not typed, in bytes: what a request to the HTTP server may have. */
const maxCallLineBytes = 4096;

/** Nobody types here: questions stay unanswered. */
const callPort: SessionPort = { kind: 'http', ask: () => Promise.resolve(undefined) };

/**
 * Runs one command line for a caller that sends it whole, such as the HTTP server. Inline data comes in `data`; when
 * it is too short the command fails, and what is too much is ignored. Rejects only when the command has a mistake in
 * it. Work that follows the response, such as a reboot, goes on after the promise has resolved. `stillWanted` is asked
 * when its turn has come: a command that is not any more fails instead. Spec: reference module-commands 7.
 */
export async function execute<Board extends SessionBoard>(
  board: Board & { readonly registry: Registry<Board> },
  line: string,
  data?: Uint8Array,
  stillWanted: () => boolean = () => true,
): Promise<Execution> {
  // No character has more than three bytes for each unit of its text.
  if (line.length > maxCallLineBytes / 3 && encodeText(line).length > maxCallLineBytes)
    return finish(board, fail(codes.OVERFLOW));
  const prepared = prepare(board, board.registry, line, callPort);
  if (prepared.kind === 'empty') return nothing;
  let wantsData: true | undefined;
  const supplyData = (request: DataRequest): Promise<Response> => {
    if (data === undefined) wantsData = true;
    return supply(request, data ?? noBytes);
  };
  const response =
    prepared.kind === 'prepared'
      ? await runInTurn(board, () => (stillWanted() ? prepared.run() : fail(codes.FAILED)), supplyData)
      : prepared;
  if (response === undefined) return nothing;
  const done = finish(board, keepIfBuffered(board, line, response));
  const execution = wantsData ? { ...done, wantsData } : done;
  board.commandDone?.();
  const { after } = response;
  // A macrotask later, so that whoever called has sent the answer before the module goes down.
  if (after) board.clock.after(0, () => void goOn(board, async () => after()));
  return execution;
}

const goOn = (board: SessionBoard, work: () => Promise<void>): Promise<void> | void => board.queue.run(work) ?? work();

/** The data is here already, so the command keeps its turn until it has taken it. `undefined` when it says nothing. */
async function runInTurn(
  board: SessionBoard,
  run: () => Reply | Promise<Reply>,
  supplyData: (request: DataRequest) => Promise<Response>,
): Promise<Response | undefined> {
  const reply = await (board.queue.run(async () => {
    const first = await run();
    return first.kind === 'data' ? await supplyData(first) : first;
  }) ?? fail(codes.FAILED));
  return reply.kind === 'silence' ? undefined : reply;
}

async function supply(request: DataRequest, data: Uint8Array): Promise<Response> {
  const mistakes: unknown[] = [];
  const feed = new DataFeed(request, (error) => mistakes.push(error));
  if (request.size > 0) await feed.write(data.subarray(0, request.size));
  const response = feed.remaining > 0 ? await feed.abort() : await feed.end();
  if (mistakes.length > 0) throw new Error('The sink of inline data failed', { cause: mistakes[0] });
  return response;
}

function finish(board: SessionBoard, response: Response): Execution {
  const payload =
    response.code === codes.SUCCESS ? response.payload : board.personality.text(refusalTexts[response.code]);
  if (payload.length === 0) return { ...nothing, code: response.code };
  let bytes: Uint8Array | undefined;
  // Both are made when asked for: data that is no text takes long to decode, and most answers are wanted as text.
  return {
    code: response.code,
    get payload() {
      bytes ??= payloadBytes({ ...response, payload });
      return bytes;
    },
    get text() {
      return payloadText(payload);
    },
  };
}

const noBytes = new Uint8Array();

const nothing: Execution = { code: codes.SUCCESS, payload: noBytes, text: '' };
