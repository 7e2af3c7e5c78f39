import type { Generated } from 'kysely';
import type { TimeMs } from './columns.ts';

/** A process of the service, and when it last said that it is alive. */
export interface ProcessTable {
  id: string;
  /** By its own clock. */
  seen_at: TimeMs;
  /** Counts its signs of life: others compare two looks, and no clocks. */
  beats: Generated<number>;
}

/** A device that is on the message channel. */
export interface ChannelTable {
  device_id: string;
  process_id: string;
  /** Tells this connection from others of the same device. */
  session: string;
  address: string;
  connected_at: TimeMs;
}

/** What a device last reported. */
export interface TelemetryTable {
  device_id: string;
  at: TimeMs;
  /** JSON object. */
  data: string;
}

/** A child of a gateway. */
export interface DeviceNodeTable {
  device_id: string;
  id: string;
  title: string | null;
  /** When the gateway last reported it. */
  seen_at: TimeMs;
}

/** Lets modules post their status broadcasts without a certificate, for the devices of one user. */
export interface BroadcastKeyTable {
  id: string;
  user_id: string;
  title: string;
  /** SHA-256 of the key, hex; unique. */
  key_hash: string;
  /** Last 4 characters of the key, to recognise it by. */
  tail: string;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
}
