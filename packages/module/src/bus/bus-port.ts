import type { SessionBoard } from '../interpreter/board-port.ts';
import type { Registry } from '../interpreter/registry.ts';
import { Session } from '../interpreter/session.ts';
import { BreakSequence } from './break-sequence.ts';
import type { AttachedLine, Bus, LineUse, Uart } from './bus.ts';
import { byteMsOf } from './line-settings.ts';
import { plainPeer, type SerialPeer, UartLine, type Wire } from './uart-line.ts';

/** Where a line is attached. */
export interface SerialPlace {
  readonly uart?: Uart;
  /** The host's UART, where there is one; `joined` gets what to call when it has changed. */
  readonly peer?: SerialPeer & { joined(changed: () => void): void };
}

interface BusPortParts<Board extends SessionBoard> extends SerialPlace {
  readonly board: Board;
  readonly registry: Registry<Board>;
  readonly bus: Bus;
  readonly wire: Wire & { end(): void };
  readonly onMistake?: ((error: unknown) => void) | undefined;
}

/** How long a line end behind the break sequence still belongs to it, in ms. */
const lineEndMs = 100;

const cr = 0x0d;
const lf = 0x0a;

/**
 * One line that is attached to a UART: its bytes go to a session of the command line or to the network, as the mode of
 * the bus has it.
 */
export class BusPort<Board extends SessionBoard> implements AttachedLine {
  readonly uart: Uart;
  readonly #bus: Bus;
  readonly #board: Board;
  readonly #line: UartLine;
  readonly #session: Session<Board>;
  readonly #detach: readonly (() => void)[];
  #use: LineUse;
  #sequence: BreakSequence | undefined;
  /** Until when a line end belongs to the break sequence, and its half that has been seen. */
  #lineEndUntilMs = Number.NEGATIVE_INFINITY;
  #lineEnd: number | undefined;
  #full = false;
  /** The command that led to stream mode may have the second half of its line end still to come. */
  #afterCommand = false;

  constructor({ board, registry, bus, wire, uart = 0, peer, onMistake }: BusPortParts<Board>) {
    this.uart = uart;
    this.#bus = bus;
    this.#board = board;
    this.#line = new UartLine({
      clock: board.clock,
      settings: () => bus.uart(uart),
      paced: () => bus.paced,
      rxBytes: () => bus.rxBytes,
      peer: peer ?? plainPeer,
      wire,
      user: {
        receive: (bytes) => this.#receive(bytes),
        drained: () => this.#drained(),
        ended: () => this.#session.end(),
      },
    });
    this.#session = new Session<Board>({
      board,
      registry,
      origin: 'serial',
      ...(onMistake && { onMistake }),
      write: (bytes) => this.#line.write(bytes),
      writeAll: (pieces) => this.#line.writeAll(pieces),
      ready: () => this.changed(),
      ended: () => wire.end(),
      parses: () => bus.useOf(uart) === 'commands',
      logs: () => bus.logsTo(uart),
      byteMs: () => byteMsOf(bus.uart(uart)),
    });
    // Input that the board gets while it starts waits in the session, whatever the mode will be.
    this.#use = this.#runs ? bus.useOf(uart) : 'commands';
    this.#begin();
    const unwatch = board.power?.watch({ down: () => this.#down(), up: () => this.#line.power(true) });
    this.#detach = [bus.attach(this), ...(unwatch ? [unwatch] : [])];
    peer?.joined(() => this.changed());
  }

  /** The host has sent bytes. */
  receive(bytes: Uint8Array): void {
    this.#line.receive(bytes);
  }

  /** The host will send no more. */
  end(): void {
    this.#line.end();
  }

  /** The wire takes bytes again. */
  drained(): void {
    this.#line.drained();
  }

  /** The wire is gone. */
  close(): void {
    this.#session.close();
    this.#sequence?.close();
    this.#line.close();
    for (const detach of this.#detach) detach();
  }

  get full(): boolean {
    return this.#full;
  }

  send(bytes: Uint8Array): void {
    this.#full = !this.#line.write(bytes);
  }

  changed(): void {
    if (this.#accepts) this.#line.ready();
    else this.#line.changed();
  }

  useChanged(): void {
    const use = this.#bus.useOf(this.uart);
    const before = this.#use;
    if (use === before || !this.#runs) return;
    this.#use = use;
    this.#sequence?.close();
    this.#sequence = undefined;
    this.#begin();
    if (before === 'commands') {
      const rest = this.#session.standDown();
      this.#afterCommand = rest.length === 0;
      if (use === 'stream') this.#stream(rest);
    } else if (before === 'stream' && use === 'commands') this.#session.takeOver();
    this.changed();
  }

  get #runs(): boolean {
    return (this.#board.power?.state ?? 'on') === 'on';
  }

  get #accepts(): boolean {
    if (this.#use === 'stream') return this.#bus.takes;
    return this.#use === 'nothing' || !this.#session.paused;
  }

  #begin(): void {
    if (this.#use !== 'stream') return;
    this.#sequence = new BreakSequence({
      clock: this.#bus.clock,
      sequence: () => this.#bus.breakSequence,
      release: (bytes) => this.#bus.collect([bytes]),
    });
  }

  #down(): void {
    this.#line.power(false);
    this.#use = 'commands';
    this.#sequence?.close();
    this.#sequence = undefined;
    this.#full = false;
  }

  #drained(): void {
    this.#session.drained();
    this.#full = false;
    this.#bus.drained();
  }

  /** What has come over the line; false when no more can be taken now. */
  #receive(bytes: Uint8Array): boolean {
    if (this.#use === 'stream') this.#stream(bytes);
    else if (this.#use === 'commands') this.#session.receive(this.#withoutLineEnd(bytes));
    // The mode may have changed: what follows goes elsewhere, a moment later.
    return this.#use === this.#bus.useOf(this.uart) || !this.#runs ? this.#accepts : false;
  }

  #stream(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const rest = this.#afterCommand && this.#session.skipsBeforeData(bytes[0]) ? bytes.subarray(1) : bytes;
    this.#afterCommand = false;
    if (rest.length === 0) return;
    const step = this.#sequence?.read(rest);
    if (!step) return;
    this.#bus.collect(step.data);
    if (step.after === undefined || !this.#bus.breakIn()) return;
    this.#lineEndUntilMs = this.#bus.clock.monotonic() + lineEndMs;
    this.#lineEnd = undefined;
    this.#session.receive(this.#withoutLineEnd(step.after));
  }

  /** A line end behind the break sequence is tolerated: it is no empty line. */
  #withoutLineEnd(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    while (rest.length > 0 && this.#bus.clock.monotonic() <= this.#lineEndUntilMs) {
      const [byte = 0] = rest;
      const half = (byte === cr || byte === lf) && byte !== this.#lineEnd;
      if (!half || this.#lineEnd !== undefined) this.#lineEndUntilMs = Number.NEGATIVE_INFINITY;
      if (!half) break;
      this.#lineEnd = byte;
      rest = rest.subarray(1);
    }
    return rest;
  }
}
