import { transition } from '@moorage/base';
import type { SessionBoard } from './board-port.ts';
import { neverAborted, type SessionPort } from './command.ts';
import { completeLine, nothingFits } from './completion.ts';
import { Inbox } from './inbox.ts';
import { LineReader, type ReaderContext } from './line-reader.ts';
import type { Origin } from './origin.ts';
import type { Registry } from './registry.ts';
import { type OutputLine, SessionOutput } from './session-output.ts';
import { type FlowState, type FlowTrigger, flowTable } from './session-table.ts';
import { TaskRunner } from './task-runner.ts';
import { byteText } from './text.ts';

/** Where the users of sessions are. */
export type SessionOrigin = Extract<Origin, 'serial' | 'terminal' | 'terminal-login'>;

interface SessionOptions<Board extends SessionBoard> extends OutputLine {
  readonly board: Board;
  readonly registry: Registry<Board>;
  readonly origin: SessionOrigin;
  /** Whether lines that come are commands; without it they always are. */
  parses?(): boolean;
  /** Whether lines of the log are printed; without it they always are. */
  logs?(): boolean;
  /** Time that one byte takes on the wire, in milliseconds; without it there is no wire. */
  byteMs?(): number;
  /** Called after `receive` has answered false, when input is wanted again. */
  ready(): void;
  /** Everything received has been answered and no more will come. */
  ended(): void;
  /** Called with a programmer's mistake in a command; without it the mistake is thrown where the process sees it. */
  onMistake?(error: unknown): void;
}

const ctrlC = 0x03;

/**
 * One user of the command interpreter over one duplex stream. Bytes go in by `receive`; whole answers come out, each in
 * one write when its command is synchronous. While a command runs or the reader is slow, input waits.
 * Spec: MOD-RULE-serial.
 */
export class Session<Board extends SessionBoard> implements SessionPort {
  readonly origin: SessionOrigin;
  readonly signal = neverAborted;
  readonly #options: SessionOptions<Board>;
  readonly #output: SessionOutput;
  readonly #reader = new LineReader();
  readonly #inbox = new Inbox();
  readonly #tasks: TaskRunner<Board>;
  #flow: FlowState = 'flowing';
  readonly #unwatch: (() => void) | undefined;
  readonly #detachLog: () => void;

  constructor(options: SessionOptions<Board>) {
    const { board, registry } = options;
    this.origin = options.origin;
    this.#options = options;
    this.#output = new SessionOutput(board, options);
    this.#tasks = new TaskRunner({
      board,
      registry,
      port: this,
      output: this.#output,
      prompt: () => this.#prompt(),
      byteMs: () => options.byteMs?.() ?? 0,
      resume: () => this.#pump(),
      onMistake: options.onMistake,
    });
    this.#detachLog = board.log.attach((text) => this.#log(text));
    this.#unwatch = board.power?.watch({ down: () => this.#down(), up: () => this.takeOver() });
  }

  /** Takes received bytes. False asks the sender to stop until `ready`; what comes nevertheless is kept. */
  receive(bytes: Uint8Array): boolean {
    // Spec: MOD-CMD-sleep. A sleeping board loses them.
    if (!this.#isAsleep) this.#inbox.push(this.#interrupted(bytes));
    this.#pump();
    return !this.paused;
  }

  /** `receive` has answered false, and `ready` has not been called since. */
  get paused(): boolean {
    return this.#flow === 'paused' || this.#flow === 'paused-working';
  }

  /** A command runs, or waits for its turn. */
  get isBusy(): boolean {
    return this.#tasks.state !== 'reading';
  }

  /** What comes from now on are no commands: gives up what is half done, and gives back what has not been used. */
  standDown(): Uint8Array {
    const rest = this.#inbox.takeAll();
    this.#tasks.answer(undefined);
    this.#reader.reset();
    this.#tasks.abandonData();
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
    this.#inbox.end();
    this.#pump();
  }

  /** The connection is gone: nothing more is printed, and data half received is given up. A running command goes on. */
  close(): void {
    this.#detach();
    this.#inbox.end();
    this.#inbox.clear();
    this.#tasks.close();
  }

  /** Dialogues are for people: with headers on the client is a program, and the answer is `undefined` at once. */
  ask(question: string): Promise<string | undefined> {
    return this.#output.headers ? Promise.resolve(undefined) : this.#tasks.ask(question);
  }

  /** What comes is lost. */
  get #isAsleep(): boolean {
    const { state } = this.#options.board.power ?? {};
    return state === 'asleep' || state === 'unpowered';
  }

  get #boardRuns(): boolean {
    return (this.#options.board.power?.state ?? 'on') === 'on';
  }

  get #parses(): boolean {
    return this.#options.parses?.() ?? true;
  }

  get #takesInput(): boolean {
    return this.#boardRuns && this.#parses && !this.#output.congested && this.#tasks.takesBytes;
  }

  /** A person may type Ctrl-C: it is listened for while a command waits, as far as there is room for what else comes. */
  get #hearsInterrupt(): boolean {
    return (
      this.#tasks.interruptible &&
      this.#output.echoes &&
      !this.#output.headers &&
      this.#inbox.bytes < this.#options.board.sessionLimits.lineBytes
    );
  }

  /**
   * Ends the command that waits if Ctrl-C is among the bytes, with what was typed before; answers the rest. Behind a
   * whole line it is no key: a program has sent it ahead, as data.
   */
  #interrupted(bytes: Uint8Array): Uint8Array {
    const at = this.#hearsInterrupt ? bytes.indexOf(ctrlC) : -1;
    if (at < 0) return bytes;
    const typed = Buffer.concat([this.#inbox.takeAll(), bytes.subarray(0, at)]);
    const ahead = typed.length > 0 && this.#reader.skipsBeforeData(typed[0]) ? typed.subarray(1) : typed;
    if (ahead.includes(0x0a) || ahead.includes(0x0d)) {
      this.#inbox.push(ahead);
      return bytes.subarray(at);
    }
    this.#reader.reset();
    if (this.#tasks.state === 'asking') this.#output.echo('\r\n');
    this.#tasks.interrupt();
    return bytes.subarray(at + 1);
  }

  /** Takes a step of the flow of input; false when its table has none. */
  #step(trigger: FlowTrigger): boolean {
    const next = transition(flowTable, this.#flow, trigger);
    if (next !== undefined) this.#flow = next;
    return next !== undefined;
  }

  /** Works off what has been received as far as possible, then writes, pauses or wakes the sender, and ends. */
  #pump(): void {
    if (this.#tasks.state === 'closed' || !this.#step('begin')) return;
    while (this.#takesInput && !this.#inbox.empty) {
      if (this.#tasks.state === 'receiving') this.#readData();
      else this.#readLine();
      if (this.#output.full) this.#output.flush();
    }
    this.#step('finish');
    this.#output.flush();
    // A client that has requested a reboot still gets its output.
    if (this.#inbox.ended && this.#boardRuns && this.#tasks.end()) {
      this.#detach();
      this.#options.ended();
    }
    this.#tasks.watchSilence(this.#takesInput);
    // A sleeper does not stop the sender: what it misses is lost.
    if (!this.#takesInput && !this.#hearsInterrupt && !this.#isAsleep) this.#step('pause');
    else if (this.#step('resume') && this.#inbox.open) this.#options.ready();
  }

  #detach(): void {
    this.#detachLog();
    this.#unwatch?.();
  }

  /** The board goes down: commands and data half done are given up, and a line half typed is lost. */
  #down(): void {
    this.#reader.reset();
    const hadData = this.#tasks.reset();
    // The rest of the data would be read as commands.
    if (hadData || this.#isAsleep) this.#inbox.clear();
    this.#pump();
  }

  /** Takes bytes up to the end of a line, which is an answer or a command. */
  #readLine(): void {
    const { taken, echo, line } = this.#reader.read(this.#inbox.front, this.#readerContext());
    this.#inbox.take(taken);
    this.#output.echo(echo);
    if (line) this.#tasks.take(line);
  }

  /** Takes a piece of inline data. Spec: MOD-LINE-data, MOD-LINE-echo. */
  #readData(): void {
    const { front } = this.#inbox;
    const skipped = this.#reader.skipsBeforeData(front[0]);
    const bytes = skipped ? front.subarray(0, 1) : front.subarray(0, this.#tasks.awaitedBytes);
    this.#inbox.take(bytes.length);
    if (skipped) return;
    if (this.#output.echoes) this.#output.bytes(bytes);
    this.#tasks.store(bytes);
  }

  /** Prints a line of the log, in the place of what is being typed where that is drawn again. */
  #log(text: string): void {
    if (this.#options.logs?.() === false) return;
    const draws = this.#redraws;
    if (draws) this.#output.echo('\r\x1b[K');
    this.#output.log(text);
    if (draws) this.#output.echo(this.#reader.drawn(byteText(this.#promptText)));
    if (this.#flow === 'flowing' || this.#flow === 'paused') this.#output.flush();
  }

  /** A person has a prompt, or the question of a command, with room to type behind it. */
  get #redraws(): boolean {
    if (!this.#options.board.personality.habits.redraw || !this.#output.echoes || this.#output.headers) return false;
    return this.#takesInput && (this.#tasks.state === 'reading' || this.#tasks.state === 'asking');
  }

  get #promptText(): string {
    return this.#tasks.state === 'asking' ? this.#tasks.question : this.#output.promptText;
  }

  #readerContext(): ReaderContext {
    const { board, registry } = this.#options;
    const interactive = this.#output.echoes;
    const asking = this.#tasks.state === 'asking';
    return {
      interactive,
      // Answers to questions may be passwords.
      historyLines: interactive && !asking ? board.sessionLimits.historyLines : 0,
      limit: board.sessionLimits.lineBytes,
      prompt: byteText(this.#promptText),
      controlKeys: board.personality.habits.controlKeys,
      complete: (before) => (asking ? nothingFits : completeLine(registry, board, before)),
    };
  }

  #prompt(): void {
    if (this.#parses) this.#output.prompt();
  }
}
