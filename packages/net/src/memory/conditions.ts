import type { NetError } from '../ports.ts';

/** How one connection behaves. */
export interface Conditions {
  /** Time that bytes take in either direction, in ms. */
  readonly latencyMs?: number;
  /** Up to this much more, drawn for each piece; the order of the bytes stays. */
  readonly jitterMs?: number;
  /** How fast bytes go in either direction; without it they take no time but the latency. */
  readonly bytesPerSecond?: number;
  /** Bytes towards the dialling side after which the connection is cut with a reset. */
  readonly cutAfterBytes?: number;
  /** The same for bytes from the dialling side. */
  readonly cutAfterSentBytes?: number;
  /** Bytes towards the dialling side after which its peer is gone without a word: no end, no reset, no answer. */
  readonly vanishAfterBytes?: number;
  /** The dial is not answered at all. */
  readonly silent?: boolean;
}

/** How one datagram to one host fares. Percentages are chances out of 100. */
export interface DatagramConditions {
  readonly latencyMs?: number;
  /** Up to this much more, drawn for each datagram: later ones may overtake. */
  readonly jitterMs?: number;
  readonly lossPercent?: number;
  readonly duplicatePercent?: number;
  /** Held back until the next one has gone to the same host, or for `reorderMs`. */
  readonly reorderPercent?: number;
  readonly reorderMs?: number;
}

/** How one look-up of a name fares; addresses are never looked up. */
export interface NameConditions {
  readonly latencyMs?: number;
  readonly fails?: NetError;
}

export interface Dialled {
  /** Name of the dialling host. */
  readonly from: string;
  readonly host: string;
  readonly port: number;
  /** 0 for the first dial in this network. */
  readonly index: number;
}

export interface Sent {
  readonly from: string;
  /** Name of the host that it reaches; a broadcast is one of these for each. */
  readonly to: string;
  readonly port: number;
  /** 0 for the first datagram in this network. */
  readonly index: number;
}

export interface LookedUp {
  readonly from: string;
  readonly name: string;
  /** 0 for the first look-up in this network. */
  readonly index: number;
}
