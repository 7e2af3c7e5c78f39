import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './columns.ts';

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
