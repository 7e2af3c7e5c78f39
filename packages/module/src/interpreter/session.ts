import type { CancelTimer } from '@moorage/base';
import type { SessionBoard } from './board-port.ts';
import type { SessionPort } from './command.ts';
import { completeLine, nothingFits } from './completion.ts';
import { DataFeed } from './data-feed.ts';
import { Inbox } from './inbox.ts';
import { keepIfBuffered } from './kept-output.ts';
import type { TypedLine } from './line-editor.ts';
import { LineReader, type ReaderContext } from './line-reader.ts';
import { type emptyLine, prepare } from './prepare.ts';
import type { Registry } from './registry.ts';
import { codes, fail, type Reply, silence } from './reply.ts';
import { type OutputLine, SessionOutput } from './session-output.ts';
import { decodeText } from './text.ts';

/** How long a command's question waits for an answer, in milliseconds; no other command runs meanwhile. */
export const askTimeoutMs = 120_000;

export interface SessionOptions<Board extends SessionBoard> extends OutputLine {
  readonly board: Board;
  readonly registry: Registry<Board>;
  readonly kind: 'serial' | 'terminal';
  /** Whether lines that come are commands; without it they always are. */
  parses?(): boolean;
  /** Whether lines of the log are printed; without it they always are. */
  logs?(): boolean;
  /** Called after `receive` has answered false, when input is wanted again. */
  ready(): void;
  /** Everything received has been answered and no more will come. */
  ended(): void;
  /** Hears of a programmer's mistake in a command; without it the mistake is thrown where the process sees it. */
  onMistake?(error: unknown): void;
}

/** What a command line has come to; `prompt` is the end of the work that a response left behind. */
type Outcome = Reply | typeof emptyLine | typeof promptOnly;

const promptOnly = { kind: 'prompt' } as const;

const textOf = (line: TypedLine): string => decodeText(Buffer.from(line.bytes, 'latin1'));

/**
 * One user of the command interpreter over one duplex stream. Bytes go in by `receive`; whole answers come out, each in
 * one write when its command is synchronous. While a command runs or the reader is slow, input waits.
 * Spec: MOD-RULE-serial.
 */
export class Session<Board extends SessionBoard> implements SessionPort {
  readonly kind: 'serial' | 'terminal';
  readonly #options: SessionOptions<Board>;
  readonly #output: SessionOutput;
  readonly #reader = new LineReader();
  readonly #inbox = new Inbox();
  /** The command line that inline data is being read for. */
  #data: { readonly line: string; readonly feed: DataFeed } | undefined;
  /** Takes the line that a running command has asked for. */
  #answer: ((line: string | undefined) => void) | undefined;
  #busy = false;
  #pumping = false;
  /** The sender has been asked to stop. */
  #paused = false;
  #input: 'open' | 'ended' | 'finished' | 'closed' = 'open';
  #cancelSilence: CancelTimer | undefined;
  /** Counts the times that the board went down: what an earlier one left running prints nothing. */
  #cycle = 0;
  readonly #unwatch: (() => void) | undefined;
  readonly #detachLog: () => void;

  constructor(options: SessionOptions<Board>) {
    this.kind = options.kind;
    this.#options = options;
    this.#output = new SessionOutput(options.board, options);
    this.#detachLog = options.board.log.attach((text) => {
      if (options.logs?.() === false) return;
      this.#output.log(text);
      if (!this.#pumping) this.#output.flush();
    });
    this.#unwatch = options.board.power?.watch({ down: () => this.#down(), up: () => this.#up() });
  }

  /** Takes received bytes. False asks the sender to stop until `ready`; what comes nevertheless is kept. */
  receive(bytes: Uint8Array): boolean {
    // Spec: MOD-CMD-sleep. Nobody is there to take them.
    if (this.#input === 'open' && !this.#isAsleep) this.#inbox.push(bytes);
    this.#pump();
    return !this.#paused;
  }

  /** `receive` has answered false, and `ready` has not been called since. */
  get paused(): boolean {
    return this.#paused;
  }

  /** What comes from now on are no commands: gives up what is half done, and gives back what has not been used. */
  standDown(): Uint8Array {
    const rest = this.#inbox.takeAll();
    this.#answer?.(undefined);
    this.#reader.reset();
    if (this.#data && !this.#busy) this.#abandon(this.#data.feed);
    this.#data = undefined;
    this.#pump();
    return rest.length > 0 && this.skipsBeforeData(rest[0]) ? rest.subarray(1) : rest;
  }

  /** Whether a byte behind the last line still belongs to its end. */
  skipsBeforeData(byte: number | undefined): boolean {
    return this.#reader.skipsBeforeData(byte);
  }

  /** What comes from now on are commands. */
  takeOver(): void {
    this.#prompt();
    this.#pump();
  }

  /** What was written has gone out. */
  drained(): void {
    this.#output.drained();
    this.#pump();
  }

  /** No more input will come. What has come is still run and answered; a line without its end is not a command. */
  end(): void {
    if (this.#input === 'open') this.#input = 'ended';
    this.#pump();
  }

  /** The connection is gone: nothing more is printed, and data half received is given up. A running command goes on. */
  close(): void {
    if (this.#input === 'closed') return;
    this.#input = 'closed';
    this.#detachLog();
    this.#unwatch?.();
    this.#cancelSilence?.();
    this.#inbox.clear();
    this.#answer?.(undefined);
    if (this.#data && !this.#busy) this.#abandon(this.#data.feed);
    this.#data = undefined;
  }

  /** Dialogues are for people: with headers on there is nobody to ask. */
  ask(question: string): Promise<string | undefined> {
    if (this.#input === 'closed' || this.#answer || this.#output.headers) return Promise.resolve(undefined);
    this.#output.echo(question);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const cancel = this.#options.board.clock.after(askTimeoutMs, () => this.#answer?.(undefined));
    this.#answer = (line) => {
      this.#answer = undefined;
      cancel();
      resolve(line);
    };
    // Input may wait already, but the command has to get its promise first.
    queueMicrotask(() => this.#pump());
    return promise;
  }

  get #isAsleep(): boolean {
    return this.#options.board.power?.state === 'asleep';
  }

  get #boardRuns(): boolean {
    return (this.#options.board.power?.state ?? 'on') === 'on';
  }

  get #takesInput(): boolean {
    return (
      this.#boardRuns &&
      (this.#options.parses?.() ?? true) &&
      this.#input !== 'closed' &&
      !this.#output.congested &&
      (!this.#busy || this.#answer !== undefined)
    );
  }

  /** Works off what has been received as far as possible, then writes, pauses or wakes the sender, and ends. */
  #pump(): void {
    if (this.#pumping || this.#input === 'closed') return;
    this.#pumping = true;
    while (this.#takesInput && !this.#inbox.empty) {
      this.#inbox.take(this.#data ? this.#feed(this.#data, this.#inbox.front) : this.#readLine(this.#inbox.front));
      if (this.#output.full) this.#output.flush();
    }
    this.#pumping = false;
    this.#output.flush();
    // Who asked for a reboot still sees it.
    if (this.#input === 'ended' && this.#inbox.empty && this.#boardRuns) this.#finish();
    this.#watchSilence();
    const wasPaused = this.#paused;
    // A sleeper does not stop the sender: what it misses is lost.
    this.#paused = !this.#takesInput && !this.#isAsleep;
    if (wasPaused && !this.#paused && this.#input === 'open') this.#options.ready();
  }

  #finish(): void {
    if (this.#answer) {
      this.#answer(undefined);
    } else if (this.#data && !this.#busy) {
      this.#giveUp(this.#data);
    } else if (!this.#busy) {
      this.#input = 'finished';
      this.#detachLog();
      this.#unwatch?.();
      this.#options.ended();
    }
  }

  /** The board goes down: commands and data half done are given up, and a line half typed is lost. */
  #down(): void {
    this.#cycle++;
    this.#answer?.(undefined);
    this.#reader.reset();
    if (this.#data) {
      if (!this.#busy) this.#abandon(this.#data.feed);
      this.#data = undefined;
      // The rest of the data would be read as commands.
      this.#inbox.clear();
    }
    this.#busy = false;
    if (this.#isAsleep) this.#inbox.clear();
    this.#pump();
  }

  /** The board has started again. */
  #up(): void {
    this.#prompt();
    this.#pump();
  }

  /** Takes bytes up to the end of a line and runs it; returns how many. */
  #readLine(bytes: Buffer): number {
    const { taken, echo, line } = this.#reader.read(bytes, this.#readerContext());
    this.#output.echo(echo);
    if (line && this.#answer) this.#answer(textOf(line));
    else if (line?.overflowed) this.#print('', fail(codes.OVERFLOW));
    else if (line) this.#run(textOf(line));
    return taken;
  }

  #run(line: string): void {
    const { board, registry } = this.#options;
    const cycle = this.#cycle;
    this.#settle(line, () => {
      const prepared = prepare(board, registry, line, this);
      if (prepared.kind !== 'prepared') return prepared;
      // The board may start anew while the command waits for its turn.
      return board.queue.run(() => (cycle === this.#cycle ? prepared.run() : silence)) ?? fail(codes.FAILED);
    });
  }

  #readerContext(): ReaderContext {
    const { board, registry } = this.#options;
    const interactive = this.#output.echoes;
    return {
      interactive,
      // Answers to questions may be passwords.
      historyLines: interactive && !this.#answer ? board.sessionLimits.historyLines : 0,
      limit: board.sessionLimits.lineBytes,
      prompt: this.#output.promptText,
      complete: (before) =>
        this.#answer ? nothingFits : completeLine(registry, () => board.variables.names(), before, board.safeMode),
    };
  }

  /** Gets an outcome, now or later, and prints it; the session is busy until then. A board that went down says nothing. */
  #settle(line: string, run: () => Outcome | Promise<Outcome>): void {
    const cycle = this.#cycle;
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = run();
    } catch (error) {
      outcome = this.#failed(error);
    }
    if (!(outcome instanceof Promise)) {
      if (cycle === this.#cycle) this.#print(line, outcome);
      else this.#drop(outcome);
      return;
    }
    // A command that has sent the board down is not waited for.
    if (cycle === this.#cycle) this.#busy = true;
    void outcome
      .catch((error: unknown) => this.#failed(error))
      .then((settled) => {
        if (cycle !== this.#cycle) {
          this.#drop(settled);
          return;
        }
        this.#busy = false;
        this.#print(line, settled);
        this.#pump();
      });
  }

  #drop(outcome: Outcome): void {
    if (outcome.kind === 'data') this.#abandon(new DataFeed(outcome, (error) => this.#mistake(error)));
  }

  #print(line: string, outcome: Outcome): void {
    if (outcome.kind === 'data') {
      this.#startData(line, new DataFeed(outcome, (error) => this.#mistake(error)));
    } else if (outcome.kind === 'response') {
      this.#options.board.commandDone?.();
      this.#output.response(keepIfBuffered(this.#options.board, line, outcome));
      if (outcome.after) this.#goOn(outcome.after);
      else this.#prompt();
    } else if (outcome.kind !== 'silence') {
      if (outcome.kind === 'empty') this.#output.emptyLine();
      this.#prompt();
    }
  }

  /** Does the work that a response has left, now that it can be read. */
  #goOn(after: () => void | Promise<void>): void {
    this.#output.flush();
    const work = async (): Promise<Outcome> => {
      await after();
      return promptOnly;
    };
    this.#settle('', () => this.#options.board.queue.run(work) ?? work());
  }

  #prompt(): void {
    if (this.#options.parses?.() ?? true) this.#output.prompt();
  }

  #startData(line: string, feed: DataFeed): void {
    if (this.#input === 'closed') {
      this.#abandon(feed);
      return;
    }
    this.#data = { line, feed };
    if (feed.remaining === 0) this.#endData(line, feed);
  }

  /** Passes received bytes to the running data command; returns how many. Spec: MOD-LINE-data, MOD-LINE-echo. */
  #feed({ line, feed }: { line: string; feed: DataFeed }, bytes: Buffer): number {
    if (this.#reader.skipsBeforeData(bytes[0])) return 1;
    const taken = bytes.subarray(0, feed.remaining);
    if (this.#output.echoes) this.#output.bytes(taken);
    const written = feed.write(taken);
    if (written instanceof Promise) {
      this.#busy = true;
      void written.then(() => {
        if (this.#data?.feed !== feed) {
          this.#abandon(feed);
          return;
        }
        this.#busy = false;
        if (feed.remaining === 0) this.#endData(line, feed);
        this.#pump();
      });
    } else if (feed.remaining === 0) {
      this.#endData(line, feed);
    }
    return taken.length;
  }

  #endData(line: string, feed: DataFeed): void {
    this.#data = undefined;
    this.#settle(line, () => this.#options.board.queue.run(() => feed.end()) ?? feed.abort());
  }

  /** The rest of the data will not come: the command fails. */
  #giveUp({ line, feed }: { line: string; feed: DataFeed }): void {
    this.#data = undefined;
    this.#settle(line, () => feed.abort());
  }

  /** Nobody is left to answer. */
  #abandon(feed: DataFeed): void {
    feed.abort().catch((error: unknown) => this.#mistake(error));
  }

  /** Spec: MOD-VAR-bus.command.write_timeout, MOD-LINE-timeout. Counts the silence while data is awaited, anew after each arrival. */
  #watchSilence(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
    const data = this.#data;
    if (!data || !this.#takesInput) return;
    const { board } = this.#options;
    this.#cancelSilence = board.clock.after(board.variables.get('bus.command.write_timeout'), () => {
      this.#giveUp(data);
      this.#pump();
    });
  }

  #failed(error: unknown): Outcome {
    this.#mistake(error);
    return fail(codes.FAILED);
  }

  #mistake(error: unknown): void {
    const { onMistake } = this.#options;
    if (onMistake) onMistake(error);
    else queueMicrotask(() => throwMistake(error));
  }
}

function throwMistake(error: unknown): never {
  throw error;
}
