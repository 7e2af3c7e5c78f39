import type { CancelTimer, Clock } from '@moorage/base';

/** A station that has joined the module's own access point. */
export interface Client {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** `undefined` while it has no address. */
  readonly ip: string | undefined;
}

/** A station of the surroundings: when it comes, and when nothing is heard of it any more. */
interface Visitor {
  readonly mac: string;
  /** What it believes the key of the network to be; empty for an open one. */
  readonly passkey?: string | undefined;
  /** After the access point has started, in ms. */
  readonly joinsAfterMs?: number | undefined;
  /** After it has joined, in ms; without it the station stays. */
  readonly silentAfterMs?: number | undefined;
}

interface StationParts {
  readonly clock: Clock;
  /** Value of `softap.max_clients` at this moment. */
  readonly limit: () => number;
  /** Value of `softap.idle_timeout` at this moment, in ms; 0 keeps silent stations. */
  readonly idleMs: () => number;
  readonly joined: (mac: string) => void;
  readonly left: (mac: string) => void;
}

interface Entry {
  ip: string | undefined;
  cancelSilence: CancelTimer | undefined;
}

/**
 * The stations on the module's access point. A real one is within reach until it is reported as silent:
 * the radio would notice that without any packet.
 */
export class Stations {
  readonly #parts: StationParts;
  // Made when first needed: most modules never start their access point.
  #entries: Map<string, Entry> | undefined;
  #timers: Set<CancelTimer> | undefined;
  #passkey = '';
  #addressOf: ((mac: string) => string | undefined) | undefined;

  constructor(parts: StationParts) {
    this.#parts = parts;
  }

  /** Those that have joined, oldest first. */
  list(): readonly Client[] {
    return Array.from(this.#entries ?? [], ([mac, { ip }]) => ({ mac, ip }));
  }

  /** The access point has started: those who are about come in time. */
  open(passkey: string, visitors: readonly Visitor[]): void {
    this.#passkey = passkey;
    for (const visitor of visitors) {
      this.#later(visitor.joinsAfterMs ?? 0, () => {
        if (!this.join(visitor.mac, visitor.passkey ?? '')) return;
        const ip = this.#addressOf?.(visitor.mac);
        if (ip !== undefined) this.addressed(visitor.mac, ip);
        const { silentAfterMs } = visitor;
        if (silentAfterMs !== undefined) this.#later(silentAfterMs, () => this.fallSilent(visitor.mac));
      });
    }
  }

  /** The access point has gone, and with it all its stations; nothing is said of them. */
  close(): void {
    for (const cancel of this.#timers ?? []) cancel();
    for (const { cancelSilence } of this.#entries?.values() ?? []) cancelSilence?.();
    this.#timers = undefined;
    this.#entries = undefined;
  }

  /** Where stations get an address that come without packets of their own; `undefined` when there is no server. */
  serve(addressOf: ((mac: string) => string | undefined) | undefined): void {
    this.#addressOf = addressOf;
    for (const [mac, entry] of this.#entries ?? []) entry.ip ??= addressOf?.(mac);
  }

  /** Whether a station is in, or would be let in. */
  hasRoomFor(mac: string): boolean {
    return this.#entries?.has(mac) || (this.#entries?.size ?? 0) < this.#parts.limit();
  }

  /**
   * A station joins, or is heard again. False when its key is wrong or no more are let in.
   * Without a key it has shown elsewhere that it is in. Spec: MOD-VAR-softap.max_clients, MOD-VAR-softap.passkey.
   */
  join(mac: string, passkey?: string): boolean {
    const known = this.#entries?.get(mac);
    if (known) {
      known.cancelSilence?.();
      known.cancelSilence = undefined;
      return true;
    }
    if (passkey !== undefined && passkey !== this.#passkey) return false;
    if (!this.hasRoomFor(mac)) return false;
    this.#entries ??= new Map();
    this.#entries.set(mac, { ip: undefined, cancelSilence: undefined });
    this.#parts.joined(mac);
    return true;
  }

  /** A station has been given an address; nothing happens when it has not joined. */
  addressed(mac: string, ip: string): void {
    const entry = this.#entries?.get(mac);
    if (entry) entry.ip = ip;
  }

  /** Nothing more is heard of a station: it is dropped in a while. Spec: MOD-VAR-softap.idle_timeout. */
  fallSilent(mac: string): void {
    const entry = this.#entries?.get(mac);
    const idleMs = this.#parts.idleMs();
    if (!entry || entry.cancelSilence || idleMs === 0) return;
    entry.cancelSilence = this.#parts.clock.after(idleMs, () => this.leave(mac));
  }

  /** A station goes; harmless when it is not there. */
  leave(mac: string): void {
    const entry = this.#entries?.get(mac);
    if (!entry) return;
    entry.cancelSilence?.();
    this.#entries?.delete(mac);
    this.#parts.left(mac);
  }

  #later(delayMs: number, task: () => void): void {
    this.#timers ??= new Set();
    const timers = this.#timers;
    const cancel = this.#parts.clock.after(delayMs, () => {
      timers.delete(cancel);
      task();
    });
    timers.add(cancel);
  }
}
