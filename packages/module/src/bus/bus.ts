import { type Clock, transition } from '@moorage/base';
import type { Log } from '../device/log.ts';
import type { PinRoles } from '../device/pin-roles.ts';
import type { StreamTable } from '../device/streams.ts';
import type { VariableStore } from '../variables/store.ts';
import { Bridge, Candidates, type FlushRules } from './bridge.ts';
import { type BusState, type BusTrigger, busTable } from './bus-table.ts';
import type { UartSettings } from './line-settings.ts';

/** Number of a UART of the module. */
export type Uart = 0 | 1;

/** What a line that is attached to a UART is for, at this moment. */
export type LineUse = 'commands' | 'stream' | 'nothing';

/** A line that is attached to a UART. */
export interface AttachedLine {
  readonly uart: Uart;
  /** Sends bytes of the network. */
  send(bytes: Uint8Array): void;
  /** `send` should wait until the line calls `Bus.drained`. */
  readonly full: boolean;
  /** Its use has changed. */
  useChanged(): void;
  /** Settings of its UART have changed, or input is wanted again. */
  changed(): void;
}

interface BusParts {
  readonly clock: Clock;
  readonly variables: VariableStore;
  readonly streams: StreamTable;
  readonly log: Log;
  readonly pinRoles: PinRoles;
  /** `serialPace` is not 0 where bytes take the time of the rate. */
  readonly timings: { readonly serialPace: number };
}

/** Variables as they were at boot. */
interface BootSettings {
  readonly dataBus: Uart;
  readonly logBus: Uart;
  readonly rxBytes: number;
  readonly flush: FlushRules;
}

/** Bytes that may wait for a network when bytes take no time, so that few large pieces go to it. */
const unpacedWaitingBytes = 65_536;

/** What opens streams by itself: with one of them on, stream mode has something to wait for. */
const openers = [
  'tcp.client.auto_start',
  'tcp.server.auto_start',
  'udp.client.auto_start',
  'udp.server.auto_start',
  'http.server.enabled',
  'ioconn.enabled',
] as const;

const uartOf = (name: 'uart0' | 'uart1'): Uart => (name === 'uart0' ? 0 : 1);

/** The serial bus: which UART does what, in which mode, and the lines that are attached. Spec: MOD-STATE-1, MOD-STATE-2. */
export class Bus {
  readonly #parts: BusParts;
  readonly #candidates: Candidates;
  #state: BusState = 'command';
  #settings: BootSettings;
  #uarts: readonly [UartSettings, UartSettings];
  // Made when first needed: most modules of a fleet have no line attached.
  #lines: Set<AttachedLine> | undefined;
  #bridge: Bridge | undefined;
  #unwatchPin: (() => void) | undefined;
  #terminal = false;

  constructor(parts: BusParts) {
    this.#parts = parts;
    this.#candidates = new Candidates(parts.streams);
    this.#settings = bootSettings(parts.variables);
    this.#uarts = [this.#uartSettings(0), this.#uartSettings(1)];
  }

  get state(): BusState {
    return this.#state;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  /** Value of `bus.stream.cmd_seq`. */
  get breakSequence(): string {
    return this.#parts.variables.get('bus.stream.cmd_seq');
  }

  get paced(): boolean {
    return this.#parts.timings.serialPace > 0;
  }

  /** Receive buffer of a UART, in bytes. Spec: MOD-VAR-bus.command.rx_bufsize. */
  get rxBytes(): number {
    const { flush, rxBytes } = this.#settings;
    return this.#state === 'stream' ? Math.max(rxBytes, flush.count) : rxBytes;
  }

  /** Serial bytes can be taken for the network. */
  get takes(): boolean {
    return this.#bridge?.takes ?? true;
  }

  /** How a UART is set. Spec: MOD-SET-apply. */
  uart(uart: Uart): UartSettings {
    return this.#uarts[uart];
  }

  /** Spec: MOD-VAR-bus.data_bus. A terminal takes the command line from the serial port. */
  useOf(uart: Uart): LineUse {
    if (uart !== this.#settings.dataBus) return 'nothing';
    if (this.#state === 'stream') return 'stream';
    return this.#terminal ? 'nothing' : 'commands';
  }

  /** Spec: MOD-VAR-bus.log_bus. */
  logsTo(uart: Uart): boolean {
    return uart === this.#settings.logBus;
  }

  /** Adds a line until the answer is called. */
  attach(line: AttachedLine): () => void {
    this.#lines ??= new Set();
    this.#lines.add(line);
    this.drained();
    return () => {
      this.#lines?.delete(line);
      // Senders do not wait for a line that has gone.
      this.drained();
    };
  }

  /** The variables have been loaded. In safe mode the recovery program has a command line only. Spec: MOD-VAR-bus.mode. */
  start(safeMode: boolean): void {
    const { pinRoles, variables } = this.#parts;
    this.#settings = bootSettings(variables);
    this.#uarts = [this.#uartSettings(0), this.#uartSettings(1)];
    const streams = variables.get('bus.mode') === 'stream' && !safeMode;
    this.#step(streams ? 'boot-stream' : 'boot-command', true);
    if (!streams) return;
    // Spec: MOD-VAR-bus.stream.cmd_gpio.
    this.#unwatchPin = pinRoles.watch('bus.stream.cmd_gpio', (asserted) => this.#pin(asserted));
    if (pinRoles.isAsserted('bus.stream.cmd_gpio')) this.#step('pin-asserted', true);
  }

  /** The module goes down. */
  stop(): void {
    this.#unwatchPin?.();
    this.#unwatchPin = undefined;
    this.#bridge?.abandon();
    this.#bridge = undefined;
    this.#candidates.clear();
    this.#terminal = false;
  }

  /** Takes the settings that `uart.*` have now. Spec: MOD-CMD-uart_update. */
  applyUart(uart: Uart): void {
    const settings = this.#uartSettings(uart);
    this.#uarts = uart === 0 ? [settings, this.#uarts[1]] : [this.#uarts[0], settings];
    for (const line of this.#lines ?? []) line.changed();
  }

  /** A stream has been opened. */
  opened(handle: number): void {
    this.#candidates.add(handle);
    this.drained();
  }

  /** A client of the remote terminal has connected or gone. */
  terminal(connected: boolean): void {
    this.#terminal = connected;
    this.#tellLines();
  }

  /** Bytes of the serial port for the network. */
  collect(pieces: readonly Uint8Array[]): void {
    this.#bridge?.collect(pieces);
  }

  /** The break sequence has come; false outside stream mode. Spec: MOD-STATE-1. */
  breakIn(): boolean {
    return this.#step('sequence');
  }

  /** Back to stream mode; false when that is not operational. Spec: MOD-STATE-2, MOD-CMD-exit. */
  exit(): boolean {
    return this.#streamPossible() && this.#step('exit');
  }

  /** A line takes bytes again. */
  drained(): void {
    void this.#bridge?.pull();
  }

  /** Without flow control, bytes sent while no line is attached are lost; with it, they wait. */
  #full(): boolean {
    let count = 0;
    for (const line of this.#dataLines()) {
      if (line.full) return true;
      count++;
    }
    return count === 0 && this.#uarts[this.#settings.dataBus].flow;
  }

  *#dataLines(): Iterable<AttachedLine> {
    for (const line of this.#lines ?? []) if (line.uart === this.#settings.dataBus) yield line;
  }

  #pin(asserted: boolean): void {
    this.#step(asserted ? 'pin-asserted' : 'pin-released');
  }

  #streamPossible(): boolean {
    return this.#candidates.first() !== undefined || openers.some((name) => this.#parts.variables.get(name));
  }

  /** Takes a step, with its notice unless it is part of a boot; false when the table has none. */
  #step(trigger: BusTrigger, silently = false): boolean {
    const before = this.#state;
    const next = transition(busTable, before, trigger);
    if (next === undefined) return false;
    this.#state = next;
    const { log } = this.#parts;
    if (before === 'stream' && next !== 'stream') {
      this.#bridge?.close();
      this.#bridge = undefined;
      if (!silently) log.notice('command_start');
      this.#tellLines();
    } else if (next === 'stream' && this.#bridge === undefined) {
      if (!silently) log.notice('command_stop');
      // The command that leads here has to end first; what stands behind it in the line is data.
      queueMicrotask(() => this.#startBridge());
    }
    return true;
  }

  #startBridge(): void {
    if (this.#state !== 'stream' || this.#bridge) return;
    const { clock, streams } = this.#parts;
    const { flush } = this.#settings;
    this.#bridge = new Bridge(
      {
        clock,
        streams,
        flush,
        waitingBytes: this.paced ? flush.count : Math.max(unpacedWaitingBytes, flush.count),
        full: () => this.#full(),
        write: (bytes) => {
          for (const line of this.#dataLines()) line.send(bytes);
        },
        ready: () => {
          for (const line of this.#dataLines()) line.changed();
        },
      },
      this.#candidates,
    );
    this.#tellLines();
  }

  #tellLines(): void {
    for (const line of this.#lines ?? []) line.useChanged();
  }

  /** Spec: MOD-VAR-uart.baud, MOD-VAR-uart.data, MOD-VAR-uart.flow, MOD-VAR-uart.parity, MOD-VAR-uart.stop. */
  #uartSettings(uart: Uart): UartSettings {
    const { variables } = this.#parts;
    return {
      baud: variables.getAt('uart.baud', uart),
      dataBits: variables.getAt('uart.data', uart),
      parity: variables.getAt('uart.parity', uart),
      stopBits: variables.getAt('uart.stop', uart),
      flow: variables.getAt('uart.flow', uart),
    };
  }
}

const bootSettings = (variables: VariableStore): BootSettings => ({
  dataBus: uartOf(variables.get('bus.data_bus')),
  logBus: uartOf(variables.get('bus.log_bus')),
  rxBytes: variables.get('bus.command.rx_bufsize'),
  flush: {
    count: variables.get('bus.stream.flush_count'),
    timeMs: variables.get('bus.stream.flush_time'),
    resets: variables.get('bus.stream.flush_reset'),
  },
});
