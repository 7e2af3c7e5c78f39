import type { SessionBoard } from './board-port.ts';
import { refusalTexts } from './board-port.ts';
import { unattended } from './command.ts';
import { DataFeed } from './data-feed.ts';
import { payloadBytes, payloadText } from './framing.ts';
import { keepIfBuffered } from './kept-output.ts';
import type { Origin } from './origin.ts';
import { prepare, replyUnlessAborted } from './prepare.ts';
import type { Registry } from './registry.ts';
import { codes, type DataRequest, fail, type Reply, type Response, type ResponseCode } from './reply.ts';
import { storeRefusal } from './store-refusal.ts';
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

/** Who sends a whole line. */
export interface Caller {
  readonly origin: Origin;
  /** Asked when the turn of the command has come; always without it. */
  stillWanted?(): boolean;
}

/** Longest command line that is not typed, in bytes: what a request to the HTTP server may have. */
const maxCallLineBytes = 4096;

/**
 * Runs one command line for a caller that sends it whole, such as the HTTP server. Inline data comes in `data`; when
 * it is too short the command fails, and what is too much is ignored. Rejects only when the command has a mistake in
 * it. Work that follows the response, such as a reboot, goes on after the promise has resolved. A command that is not
 * wanted any more when its turn has come fails instead. Reference: serial 1.2.
 */
export const execute = async <Board extends SessionBoard>(...call: Parameters<typeof executeNow<Board>>) =>
  executeNow(...call);

/** The same at once, where nothing has to be waited for: no turn of the event loop goes by, and no promise is made. */
export function executeNow<Board extends SessionBoard>(
  board: Board & { readonly registry: Registry<Board> },
  line: string,
  data?: Uint8Array,
  caller: Caller = { origin: 'script' },
): Execution | Promise<Execution> {
  // No character has more than three bytes for each unit of its text.
  if (line.length > maxCallLineBytes / 3 && encodeText(line).length > maxCallLineBytes)
    return finish(board, fail(codes.OVERFLOW));
  const prepared = prepare(board, board.registry, line, unattended(caller.origin));
  if (prepared.kind === 'empty') return nothing;
  let wantsData: true | undefined;
  const supplyData = (request: DataRequest): Promise<Response> => {
    if (data === undefined) wantsData = true;
    return supply(board, request, data ?? noBytes);
  };
  const failed = (error: unknown): Response => {
    const refusal = storeRefusal(board, error);
    if (!refusal) throw error;
    return refusal;
  };
  const conclude = (reply: Response | Silence): Execution => {
    if (reply.kind === 'silence') return nothing;
    const done = finish(board, keepIfBuffered(board, line, reply), wantsData);
    board.commandDone?.();
    const { after } = reply;
    // A macrotask later, so that the caller has sent the response before the module goes down.
    if (after) board.clock.after(0, () => void goOn(board, async () => after()).catch(failed));
    return done;
  };
  if (prepared.kind === 'refused') return conclude(prepared.response);
  const { waits } = prepared;
  const giveUp = waits ? new AbortController() : undefined;
  const unwatch = giveUp && board.power?.watch({ down: () => giveUp.abort(), up: () => {} });
  const run = () => (caller.stillWanted?.() === false ? fail(codes.FAILED) : prepared.run(giveUp?.signal));
  const reply = runInTurn(board, run, waits, supplyData);
  if (!(reply instanceof Promise)) {
    unwatch?.();
    return conclude(reply);
  }
  const raced = giveUp ? replyUnlessAborted(giveUp.signal, reply) : reply;
  return raced
    .catch(failed)
    .finally(() => unwatch?.())
    .then(conclude);
}

const goOn = async (board: SessionBoard, work: () => Promise<void>): Promise<void> => board.queue.run(work) ?? work();

type Silence = Extract<Reply, { readonly kind: 'silence' }>;

/** The data is here already, so the command keeps its turn until it has taken it. */
function runInTurn(
  board: SessionBoard,
  run: () => Reply | Promise<Reply>,
  waits: boolean,
  supplyData: (request: DataRequest) => Promise<Response>,
): Response | Silence | Promise<Response | Silence> {
  const take = (first: Reply) => (first.kind === 'data' ? supplyData(first) : first);
  const task = () => {
    const first = run();
    return first instanceof Promise ? first.then(take) : take(first);
  };
  return board.queue.run(task, waits) ?? fail(codes.FAILED);
}

async function supply(board: SessionBoard, request: DataRequest, data: Uint8Array): Promise<Response> {
  const mistakes: unknown[] = [];
  const feed = new DataFeed(request, (error) => mistakes.push(error));
  // What is too short is not begun.
  if (request.size > 0 && data.length >= request.size) await feed.write(data.subarray(0, request.size));
  const response = feed.remaining > 0 ? await feed.abort() : await feed.end();
  const refusal = storeRefusal(board, mistakes[0]);
  if (refusal) return refusal;
  if (mistakes.length > 0) throw new Error('The sink of inline data failed', { cause: mistakes[0] });
  return response;
}

function finish(board: SessionBoard, response: Response, wantsData?: true): Execution {
  if (response.code === codes.SUCCESS) return new Finished(response, wantsData);
  return new Finished({ ...response, payload: board.personality.text(refusalTexts[response.code]) }, wantsData);
}

/** Makes its two forms on first use: data that is no text takes long to decode, and most responses are read as text. */
class Finished implements Execution {
  readonly code: ResponseCode;
  declare readonly wantsData?: true;
  readonly #response: Response;
  #bytes: Uint8Array | undefined;

  constructor(response: Response, wantsData?: true) {
    this.code = response.code;
    this.#response = response;
    if (wantsData) this.wantsData = wantsData;
  }

  get payload(): Uint8Array {
    this.#bytes ??= this.#response.payload.length === 0 ? noBytes : payloadBytes(this.#response);
    return this.#bytes;
  }

  get text(): string {
    return payloadText(this.#response.payload);
  }
}

const noBytes = new Uint8Array();

const nothing: Execution = { code: codes.SUCCESS, payload: noBytes, text: '' };
