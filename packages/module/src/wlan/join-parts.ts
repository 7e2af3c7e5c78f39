import type { Clock } from '@moorage/base';
import type { Security } from './air.ts';
import type { Radio } from './radio.ts';
import type { Protocol } from './signal.ts';

/** IPv4 settings of an interface, dotted. */
export interface Addresses {
  readonly ip: string;
  readonly netmask: string;
  readonly gateway: string;
  readonly dns: string;
}

/** What the variables say when a join starts. */
export interface JoinSettings {
  readonly ssid: string;
  readonly passkey: string;
  /** Empty when any access point will do. */
  readonly bssid: string;
  readonly security: Security | 'auto';
  /** Bit 0 is channel 1. */
  readonly channelMask: number;
  readonly protocol: Protocol;
  /** Attempts in one sequence. */
  readonly retries: number;
  readonly associateTimeoutMs: number;
  readonly dhcpTimeoutMs: number;
  /** `undefined` for DHCP. */
  readonly fixed: Addresses | undefined;
}

/** How long the radio takes for each step, in ms. */
export interface JoinTimings {
  readonly probeMs: number;
  readonly associateMs: number;
  readonly dhcpMs: number;
}

/** The lines and notices of a join; the texts themselves are the personality's. */
export interface JoinVoice {
  associating(ssid: string): void;
  security(name: string): void;
  obtaining(): void;
  address(ip: string): void;
  associated(): void;
  disassociated(): void;
  failed(): void;
  noSsid(): void;
}

export interface JoinParts {
  readonly clock: Clock;
  readonly radio: Radio;
  readonly timings: JoinTimings;
  readonly voice: JoinVoice;
  readonly settings: () => JoinSettings;
  /** What the DHCP server of the network gives. */
  readonly lease: () => Addresses;
  /** Called with the address there and before the last notice of a join, which waits for it: services start here. */
  readonly started: () => void | Promise<void>;
  /** Called before the link goes. */
  readonly stopping: () => void;
  /** Called after every change of the state or of the result. */
  readonly changed?: () => void;
}
