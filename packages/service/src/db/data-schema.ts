import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './schema.ts';

/** What a device can do and who activated it at the data cloud. Reference: data-cloud 1.2. */
export interface ActivationTable {
  device_id: string;
  user_id: string;
  /** Capabilities file as JSON. */
  capabilities: string;
  activated_at: TimeMs;
}

/** A time series of a device. */
export interface StreamTable {
  id: Generated<number>;
  device_id: string;
  name: string;
}

/** One sample; `seq` tells apart what came in the same millisecond, in the order in which it came. */
export interface SampleTable {
  stream_id: number;
  at: TimeMs;
  seq: number;
  /** Exactly one of the two has a value. */
  number: number | null;
  text: string | null;
}

/** Batches that have been written, so that one that is sent again is not. */
export interface SampleBatchTable {
  device_id: string;
  batch: string;
  created_at: TimeMs;
}

/** The last value of a control. */
export interface ControlTable {
  device_id: string;
  name: string;
  /** JSON: a number or a text. */
  value: string;
  at: TimeMs;
  source: 'device' | 'user';
  /** The device has it. */
  delivered: Flag;
}

/** Values that controls have had. */
export interface ControlValueTable {
  id: Generated<number>;
  device_id: string;
  name: string;
  value: string;
  at: TimeMs;
  source: 'device' | 'user';
  user_id: string | null;
}

/** A message in one of the two boxes of a device. */
export interface MessageTable {
  /** Order of arrival. */
  seq: Generated<number>;
  id: string;
  device_id: string;
  box: 'to-device' | 'from-device';
  /** JSON object of texts. */
  headers: string;
  data: string;
  /** Bytes of `data` as UTF-8. */
  length: number;
  created_at: TimeMs;
}

/** A process of the service, and when it last said that it is alive. */
export interface ProcessTable {
  id: string;
  seen_at: TimeMs;
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

/** What a device last told of itself. */
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
  /** When the gateway told of it last. */
  seen_at: TimeMs;
}

/** A certificate that a device had before the one it has now. */
export interface RetiredCertificateTable {
  /** SHA-256, lower-case hex. */
  fingerprint: string;
  device_id: string;
  retired_at: TimeMs;
  /** When somebody showed it last, of which there is a row in the log. */
  seen_at: TimeMs | null;
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
