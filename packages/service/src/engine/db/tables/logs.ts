import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './columns.ts';

export interface LogTable {
  id: string;
  type: string;
  level: 'info' | 'warning' | 'error';
  message: string;
  user_id: string | null;
  device_id: string | null;
  product_id: string | null;
  bundle_id: string | null;
  ip: string | null;
  client: string | null;
  /** JSON text. */
  data: string;
  created_at: TimeMs;
  /** Owner of the device when the row was written: who may read it, even when the device has another owner later. */
  owner_id: string | null;
  /** Counted in metrics, but left out of lists that do not ask for the type. */
  quiet: Generated<Flag>;
}

/** How often the devices of one owner on one product have asked for an update within an hour. */
export interface PollTable {
  product_id: string;
  /** Owner of the devices then; empty for devices without an owner. */
  owner_id: string;
  /** Start of the hour. */
  at: TimeMs;
  polls: number;
}
