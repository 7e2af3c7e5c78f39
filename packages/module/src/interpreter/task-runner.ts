import { type CancelTimer, transition, unlessAborted } from '@moorage/base';
import { behindData } from './announced.ts';
import type { SessionBoard } from './board-port.ts';
import { neverAborted, type SessionPort } from './command.ts';
import { DataFeed } from './data-feed.ts';
import { keepIfBuffered } from './kept-output.ts';
import type { TypedLine } from './line-editor.ts';
import { type emptyLine, prepare, replyUnlessAborted } from './prepare.ts';
import type { Registry } from './registry.ts';
import { codes, type DataRequest, fail, type Reply, type Response, silence } from './reply.ts';
import type { SessionOutput } from './session-output.ts';
import { type SessionState, type SessionTrigger, sessionTable } from './session-table.ts';
import { storeRefusal } from './store-refusal.ts';
import { decodeText } from './text.ts';

/** How long a command's question waits for an answer, in milliseconds; no other command runs meanwhile. */
export const askTimeoutMs = 120_000;

/** Data may come at so many milliseconds for each byte, beyond the silence that is allowed anyway; slower lines at more. */
const slowestMs = 2;

/** How many times slower than the wire data may come. */
const slowestShare = 20;

/** What a command line has come to; `prompt` is the end of the work that a response left behind. */
type Outcome = Reply | typeof emptyLine | typeof promptOnly;

const promptOnly = { kind: 'prompt' } as const;

/** A command from its line to the end of its answer. */
interface Task {
  readonly line: string;
  /** Ends a command that only waits. */
  giveUp: AbortController | undefined;
  /** Takes the inline data that the command has requested. */
  feed: DataFeed | undefined;
  /** How long the session has waited for that data, in milliseconds. */
  waitedMs: number;
}

interface TaskRunnerParts<Board extends SessionBoard> {
  readonly board: Board;
  readonly registry: Registry<Board>;
  /** The session as its commands see it. */
  readonly port: SessionPort;
  readonly output: SessionOutput;
  /** Prints the prompt where lines are commands. */
  prompt(): void;
  /** Time that one byte takes on the wire, in milliseconds; 0 where that is not known. */
  byteMs(): number;
  /** Something is done that input may have waited for. */
  resume(): void;
  /** Called with a programmer's mistake in a command; without it the mistake is thrown where the process sees it. */
  readonly onMistake: ((error: unknown) => void) | undefined;
}

/** States in which received bytes are taken. After the end there are none, and no sender needs to be stopped. */
const takesBytes: ReadonlySet<SessionState> = new Set(['reading', 'asking', 'receiving', 'ended']);

const textOf = (line: TypedLine): string => decodeText(Buffer.from(line.bytes, 'latin1'));

/** Runs the commands of one session, one at a time: their questions, their inline data, their responses. */
export class TaskRunner<Board extends SessionBoard> {
  readonly #parts: TaskRunnerParts<Board>;
  #state: SessionState = 'reading';
  /** The command at hand. What an earlier one that was given up comes to is not printed. */
  #task: Task | undefined;
  /** Takes the line that the running command has asked for. */
  #answered: ((line: string | undefined) => void) | undefined;
  #question = '';
  #cancelSilence: CancelTimer | undefined;

  constructor(parts: TaskRunnerParts<Board>) {
    this.#parts = parts;
  }

  get state(): SessionState {
    return this.#state;
  }

  get takesBytes(): boolean {
    return takesBytes.has(this.#state);
  }

  /** What the running command has asked; empty when it has not. */
  get question(): string {
    return this.#question;
  }

  /** A command runs that only waits, and can be ended. */
  get interruptible(): boolean {
    // Behind the last byte of data nothing is data.
    const runs =
      this.#state === 'running' || this.#state === 'asking' || (this.#state === 'storing' && this.awaitedBytes === 0);
    return runs && this.#task?.giveUp?.signal.aborted === false;
  }

  /** Ends the command that waits: it fails. */
  interrupt(): void {
    this.#task?.giveUp?.abort();
  }

  /** Inline data that is still to come, in bytes. */
  get awaitedBytes(): number {
    return this.#task?.feed?.remaining ?? 0;
  }

  /** Takes a line: the answer that a command waits for, or a command. */
  take(line: TypedLine): void {
    if (this.#state === 'asking') this.answer(textOf(line));
    else this.#run(textOf(line), line.overflowed);
  }

  /** Prints a question of the running command; resolves to the line typed, `undefined` when there is none. */
  ask(question: string): Promise<string | undefined> {
    if (!this.#step('ask')) return Promise.resolve(undefined);
    const { board, output, resume } = this.#parts;
    this.#question = question;
    output.text(question);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const cancel = board.clock.after(askTimeoutMs, () => this.answer(undefined));
    this.#answered = (line) => {
      cancel();
      resolve(line);
    };
    // Input may wait already, but the command has to get its promise first.
    queueMicrotask(resume);
    return promise;
  }

  /** Hands a line, or nothing, to the command that waits for it; false when none does. */
  answer(line: string | undefined): boolean {
    if (!this.#step('answer')) return false;
    this.#answered?.(line);
    return true;
  }

  /** Passes received bytes, at most `awaitedBytes`, to the command. */
  store(bytes: Uint8Array): void {
    const task = this.#task;
    const feed = task?.feed;
    if (!feed || !this.#step('store')) return;
    const written = feed.write(bytes);
    if (!(written instanceof Promise)) {
      this.#stored(task, feed);
      return;
    }
    const { signal = neverAborted } = task.giveUp ?? {};
    void unlessAborted(signal, written).then(() => {
      if (task !== this.#task) return;
      this.#stored(task, feed);
      this.#parts.resume();
    });
  }

  /** Gives up the data that is being received, without a response; false when there is none. */
  abandonData(): boolean {
    const feed = this.#task?.feed;
    if (!feed) return false;
    this.#step('abandon-data');
    this.#task = undefined;
    this.#abort(feed);
    return true;
  }

  /** The board goes down: what is half done is given up. True when that was inline data. */
  reset(): boolean {
    this.answer(undefined);
    const hadData = this.abandonData();
    this.interrupt();
    this.#step('reset');
    this.#task = undefined;
    return hadData;
  }

  /** No input is left: what waits for some is given up. True when nothing is left to be done. */
  end(): boolean {
    if (this.answer(undefined)) return false;
    if (this.#state === 'receiving') this.#giveUp();
    return this.#step('end');
  }

  /** The connection is gone. A running command goes on. */
  close(): void {
    this.#cancelSilence?.();
    this.answer(undefined);
    this.abandonData();
    this.#step('close');
  }

  /**
   * Counts the time in which data is awaited: each silence, and all of it against a least rate. Commands of a host that
   * takes an unanswered line for lost are data as well, and must not keep the wait going.
   * Spec: MOD-VAR-bus.command.write_timeout, MOD-LINE-timeout.
   */
  watchSilence(listens: boolean): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    const task = this.#task;
    if (this.#state !== 'receiving' || !listens || !task?.feed) return;
    const { board, byteMs, resume } = this.#parts;
    const { clock } = board;
    const silenceMs = board.variables.get('bus.command.write_timeout');
    const slowestByteMs = Math.max(slowestMs, slowestShare * byteMs());
    const wholeMs = silenceMs + task.feed.received * slowestByteMs - task.waitedMs;
    const since = clock.monotonic();
    const cancel = clock.after(Math.max(0, Math.min(silenceMs, wholeMs)), () => {
      this.#giveUp();
      resume();
    });
    this.#cancelSilence = () => {
      cancel();
      task.waitedMs += clock.monotonic() - since;
    };
  }

  /** Takes a step; false when the table has none. */
  #step(trigger: SessionTrigger): boolean {
    const next = transition(sessionTable, this.#state, trigger);
    if (next !== undefined) this.#state = next;
    return next !== undefined;
  }

  /** Runs a command line. */
  #run(line: string, overflowed: boolean): void {
    const { board, registry, port } = this.#parts;
    const task: Task = { line, giveUp: undefined, feed: undefined, waitedMs: 0 };
    this.#step('run');
    this.#task = task;
    this.#settle(task, () => {
      const prepared = prepare(board, registry, line, port, overflowed);
      if (prepared.kind === 'empty') return prepared;
      const { announced } = prepared;
      if (prepared.kind === 'refused') return behindData(prepared.response, announced);
      const { waits } = prepared;
      if (waits) task.giveUp = new AbortController();
      // The board may start anew while the command waits for its turn.
      const run = () => (task === this.#task ? prepared.run(task.giveUp?.signal) : silence);
      const reply = board.queue.run(run, waits) ?? fail(codes.FAILED);
      if (!(reply instanceof Promise)) return behindData(reply, announced);
      const raced = task.giveUp ? replyUnlessAborted(task.giveUp.signal, reply) : reply;
      // Who gives a command up sends no data for it.
      return raced.then((came) => (task.giveUp?.signal.aborted ? came : behindData(came, announced)));
    });
  }

  /** Gets what a command comes to, now or later, and prints it. A board that went down meanwhile prints nothing. */
  #settle(task: Task, run: () => Outcome | Promise<Outcome>): void {
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = run();
    } catch (error) {
      outcome = this.#failed(error);
    }
    if (!(outcome instanceof Promise)) {
      this.#conclude(task, outcome);
      return;
    }
    void outcome
      .catch((error: unknown) => this.#failed(error))
      .then((settled) => {
        const current = task === this.#task;
        this.#conclude(task, settled);
        if (current) this.#parts.resume();
      });
  }

  #conclude(task: Task, outcome: Outcome): void {
    // A question that the command has not waited for has no answer.
    if (task === this.#task && this.#state === 'asking') this.answer(undefined);
    if (outcome.kind === 'data') this.#startData(task, outcome);
    else if (task !== this.#task) return;
    else if (outcome.kind === 'response') this.#respond(task, outcome);
    else this.#done(outcome.kind);
  }

  #respond(task: Task, response: Response): void {
    const { board, output } = this.#parts;
    board.commandDone?.();
    output.response(keepIfBuffered(board, task.line, response));
    const { after } = response;
    if (!after) {
      this.#done('prompt');
      return;
    }
    // The work that the response has left is done when it can be read.
    output.flush();
    const work = async (): Promise<Outcome> => {
      await after();
      return promptOnly;
    };
    this.#settle(task, () => board.queue.run(work) ?? work());
  }

  /** The command has ended. */
  #done(kind: 'prompt' | 'empty' | 'silence'): void {
    this.#step('done');
    this.#task = undefined;
    if (kind === 'empty') this.#parts.output.emptyLine();
    if (kind !== 'silence') this.#parts.prompt();
  }

  #startData(task: Task, request: DataRequest): void {
    const feed = new DataFeed(request, (error) => this.#mistake(error));
    if (task !== this.#task || !this.#step('request-data')) {
      this.#abort(feed);
      return;
    }
    task.feed = feed;
    if (feed.remaining === 0) this.#endData(task, feed);
  }

  #stored(task: Task, feed: DataFeed): void {
    if (this.#step('stored') && feed.remaining === 0) this.#endData(task, feed);
  }

  /** All of the data has come. */
  #endData(task: Task, feed: DataFeed): void {
    const { signal } = task.giveUp ?? {};
    const end = () => (signal ? replyUnlessAborted(signal, feed.end()) : feed.end());
    this.#completeData(task, () => this.#parts.board.queue.run(end, signal !== undefined) ?? feed.abort());
  }

  /** The rest of the data will not come: the command fails. */
  #giveUp(): void {
    const task = this.#task;
    const feed = task?.feed;
    if (feed) this.#completeData(task, () => feed.abort());
  }

  #completeData(task: Task, respond: () => Response | Promise<Response>): void {
    this.#step('complete-data');
    task.feed = undefined;
    this.#settle(task, respond);
  }

  #abort(feed: DataFeed): void {
    feed.abort().catch((error: unknown) => this.#mistake(error));
  }

  #failed(error: unknown): Outcome {
    this.#mistake(error);
    return fail(codes.FAILED);
  }

  /** A store that fails is none, and has its reason in the log. */
  #mistake(error: unknown): void {
    const { board, onMistake } = this.#parts;
    if (storeRefusal(board, error)) return;
    if (onMistake) onMistake(error);
    else queueMicrotask(() => throwMistake(error));
  }
}

function throwMistake(error: unknown): never {
  throw error;
}
