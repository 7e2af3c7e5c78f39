import type { Clock } from '@moorage/base';
import { ByteQueue } from './byte-queue.ts';
import { byteMsOf, type LineSettings, receivedAs, type UartSettings } from './line-settings.ts';
import { Pacer } from './pacer.ts';

/** The other end of a serial line, if its settings are known. It calls `UartLine.changed` when they change. */
export interface SerialPeer {
  /** How its UART is set; what is left out is as the module's. */
  readonly settings: Partial<LineSettings>;
  /** Its RTS is the module's CTS. */
  readonly rts: boolean;
  /** It holds the wire low: nothing that it sends arrives. */
  readonly breaking: boolean;
  /** It stops sending when its CTS goes, which is the module's RTS. */
  readonly heedsCts: boolean;
  /** It has asked the line to wait, apart from RTS. */
  readonly suspended: boolean;
  /** Called once, and after each change, with what the module drives: its RTS, and whether it is on. */
  modem?(lines: ModemLines): void;
  /** Bytes came with errors, because its UART is set otherwise than the module's. */
  misheard?(errors: { readonly framing: boolean; readonly parity: boolean }): void;
}

export interface ModemLines {
  readonly cts: boolean;
  readonly dsr: boolean;
}

/** Set as the module is, and well-behaved: whatever has no UART of its own, such as a pseudo-terminal. */
export const plainPeer: SerialPeer = {
  settings: {},
  rts: true,
  breaking: false,
  heedsCts: true,
  suspended: false,
};

/** What carries the bytes: a socket, a terminal. */
export interface Wire {
  /** False when it is full; then `UartLine.drained` is to be called. */
  write(bytes: Uint8Array): boolean;
  writeAll(pieces: readonly Uint8Array[]): boolean;
  pause(): void;
  resume(): void;
}

/** The module behind the UART. */
interface LineUser {
  /** False when it takes no more until it has called `UartLine.ready`. */
  receive(bytes: Uint8Array): boolean;
  drained(): void;
  /** Everything that was sent has been received, and no more will come. */
  ended(): void;
}

export interface AccessPorts {
  readonly clock: Clock;
  readonly settings: () => UartSettings;
  /** Whether bytes take the time of the rate. */
  readonly paced: () => boolean;
  /** Receive buffer, in bytes. */
  readonly rxBytes: () => number;
  readonly peer: SerialPeer;
  readonly wire: Wire;
  readonly user: LineUser;
}

/** Bytes that the host may have handed to its own UART, and those that the module may have to its, at a time. */
const sendBufferBytes = 4096;

/**
 * The UART of the module at one end of a line: rates, flow control, and a receive buffer that overflows. Where bytes
 * take no time nothing overflows: the sender waits. Spec: MOD-VAR-uart.*, MOD-VAR-bus.command.rx_bufsize.
 */
export class UartLine {
  readonly #parts: AccessPorts;
  /** From the host, and to it. */
  readonly #in: Pacer;
  readonly #out: Pacer;
  readonly #buffer = new ByteQueue();
  #ready = true;
  #wireFull = false;
  #wirePaused = false;
  #congested = false;
  #ended = false;
  #closed = false;
  #on = true;
  #shown: ModemLines | undefined;

  constructor(parts: AccessPorts) {
    this.#parts = parts;
    this.#in = new Pacer(parts.clock, (bytes, sent) => this.#arrive(bytes, sent));
    this.#out = new Pacer(parts.clock, (bytes, sent) => this.#leave(bytes, sent));
    this.changed();
  }

  /** The host has sent bytes. */
  receive(bytes: Uint8Array): void {
    const { paced, peer, settings } = this.#parts;
    if (peer.breaking) return;
    const sent = peer === plainPeer ? settings() : { ...settings(), ...peer.settings };
    this.#in.push(bytes, sent, paced() ? byteMsOf(sent) : 0);
    this.changed();
  }

  /** The host will send no more. */
  end(): void {
    this.#ended = true;
    this.#finish();
  }

  /** The wire takes bytes again. */
  drained(): void {
    this.#wireFull = false;
    this.changed();
  }

  /** The module sends bytes; false when it should wait for `LineUser.drained`. */
  write(bytes: Uint8Array): boolean {
    const settings = this.#parts.settings();
    this.#out.push(bytes, settings, this.#parts.paced() ? byteMsOf(settings) : 0);
    this.changed();
    return this.#mayWrite();
  }

  /** The same for pieces that belong together. */
  writeAll(pieces: readonly Uint8Array[]): boolean {
    const direct = this.#parts.peer === plainPeer && !this.#parts.paced() && !this.#out.held && this.#out.length === 0;
    if (direct) {
      this.#wireFull = !this.#parts.wire.writeAll(pieces);
      this.changed();
    } else for (const piece of pieces) this.write(piece);
    return this.#mayWrite();
  }

  /** The module takes bytes again. */
  ready(): void {
    this.#ready = true;
    while (this.#ready && this.#buffer.length > 0) {
      for (const piece of this.#buffer.take(this.#buffer.length)) this.#give(piece);
    }
    this.changed();
    this.#finish();
  }

  /** The module is on, or not. */
  power(on: boolean): void {
    this.#on = on;
    this.changed();
  }

  /** Looks anew at what stops either direction: the peer, the settings or a buffer has changed. */
  changed(): void {
    if (this.#closed) return;
    const { peer, settings, wire } = this.#parts;
    const { flow } = settings();
    this.#out.hold(this.#wireFull || peer.suspended || (flow && !peer.rts));
    this.#in.hold(this.#stopsHost(flow));
    this.#show({ cts: !flow || !this.#bufferFull(), dsr: this.#on });
    const pause = this.#in.held || this.#in.length >= sendBufferBytes;
    if (pause !== this.#wirePaused) {
      this.#wirePaused = pause;
      if (pause) wire.pause();
      else wire.resume();
    }
    if (this.#congested && this.#mayWrite()) this.#parts.user.drained();
  }

  close(): void {
    this.#closed = true;
    this.#in.close();
    this.#out.close();
    this.#buffer.clear();
  }

  /** Without pacing the host always waits; with it only flow control makes it wait. */
  #stopsHost(flow: boolean): boolean {
    if (this.#ready) return false;
    if (!this.#parts.paced()) return true;
    return flow && this.#parts.peer.heedsCts && this.#bufferFull();
  }

  #bufferFull(): boolean {
    return !this.#ready && this.#buffer.length >= this.#parts.rxBytes();
  }

  #mayWrite(): boolean {
    this.#congested = this.#wireFull || this.#out.length >= sendBufferBytes || (this.#out.held && this.#out.length > 0);
    return !this.#congested;
  }

  #arrive(bytes: Uint8Array, sent: LineSettings): void {
    const { paced, peer, rxBytes, settings } = this.#parts;
    const received = peer === plainPeer ? bytes : receivedAs(bytes, sent, settings()).bytes;
    if (this.#ready) this.#give(received);
    // Spec: MOD-BUS-overrun. What does not fit is lost, as it is in the hardware.
    else if (!paced() || this.#buffer.length + received.length <= rxBytes()) this.#buffer.push(received);
    if (!this.#ready) this.changed();
    this.#finish();
  }

  #leave(bytes: Uint8Array, sent: LineSettings): void {
    const { peer, settings, wire } = this.#parts;
    if (peer === plainPeer) {
      if (!wire.write(bytes)) this.#wireFull = true;
    } else {
      const received = receivedAs(bytes, sent, { ...settings(), ...peer.settings });
      if (received.bytes.length > 0 && !wire.write(received.bytes)) this.#wireFull = true;
      const errors = { framing: received.framingErrors > 0, parity: received.parityErrors > 0 };
      if (errors.framing || errors.parity) peer.misheard?.(errors);
    }
    if (this.#wireFull) this.#out.hold(true);
    else if (this.#congested) this.changed();
  }

  #give(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#ready) this.#ready = this.#parts.user.receive(bytes);
    else this.#buffer.push(bytes);
  }

  #finish(): void {
    if (!this.#ended || this.#in.length > 0 || this.#buffer.length > 0) return;
    this.#ended = false;
    this.#parts.user.ended();
  }

  #show(lines: ModemLines): void {
    if (lines.cts === this.#shown?.cts && lines.dsr === this.#shown.dsr) return;
    this.#shown = lines;
    this.#parts.peer.modem?.(lines);
  }
}
