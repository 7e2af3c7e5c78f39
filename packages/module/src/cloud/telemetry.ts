import type { CancelTimer } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { type BroadcastBoard, statusObject } from '../services/broadcast.ts';

/** Values of one message that the service takes. */
const maxValues = 64;

/** The shortest interval that is kept, and the longest that the host's timers can, in ms. */
const shortestIntervalMs = 100;
const longestIntervalMs = 2_147_483_647;

export type TelemetryValues = Readonly<Record<string, unknown>>;

/**
 * What a module tells of itself: what its status broadcast does, how long it runs (s), how much memory is in use (%),
 * and what an application adds. Spec: MOD-CHAN-telemetry.
 */
export function telemetryOf(board: BroadcastBoard, iface: Interface, added: TelemetryValues = {}): TelemetryValues {
  const own = {
    uptime: Math.floor(board.rtc.uptimeMs() / 1000),
    memory: board.variables.get('system.memory.usage'),
    ...statusObject(board, iface),
  };
  const addedNames = Object.keys(added);
  // A long `broadcast.data` gives way to what somebody wants to have said.
  const room = maxValues - addedNames.length;
  return { ...Object.fromEntries(Object.entries(own).slice(0, Math.max(0, room))), ...added };
}

/** Sends telemetry every `dms.telemetry.interval` ms while the channel is open; never one before the last is answered. */
export class TelemetryTimer {
  readonly #board: BroadcastBoard;
  readonly #send: () => Promise<unknown>;
  readonly #unwatch: () => void;
  #open = false;
  #sending = false;
  #cancel: CancelTimer = () => {};

  constructor(board: BroadcastBoard, send: () => Promise<unknown>) {
    this.#board = board;
    this.#send = send;
    this.#unwatch = board.variables.onChange('dms.telemetry.interval', () => this.#plan());
  }

  /** The channel has opened: the first is sent at once. */
  open(): void {
    this.#open = true;
    if (this.#intervalMs > 0) void this.#tell();
  }

  closed(): void {
    this.#open = false;
    this.#cancel();
  }

  stop(): void {
    this.closed();
    this.#unwatch();
  }

  /** Spec: MOD-VAR-dms.telemetry.interval. */
  get #intervalMs(): number {
    return this.#board.variables.get('dms.telemetry.interval');
  }

  #plan(): void {
    this.#cancel();
    if (!this.#open || this.#sending || this.#intervalMs === 0) return;
    const intervalMs = Math.min(Math.max(this.#intervalMs, shortestIntervalMs), longestIntervalMs);
    this.#cancel = this.#board.clock.after(intervalMs, () => void this.#tell());
  }

  async #tell(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    await this.#send();
    this.#sending = false;
    this.#plan();
  }
}
