import type { TimeMs } from './columns.ts';

export interface ConnectorTable {
  id: string;
  product_id: string;
  title: string;
  /** Upper case; unique in its product. */
  code: string;
  type: 'webhook' | 'mqtt';
  /** JSON text, secrets included. */
  opts: string;
  state: 'ok' | 'failing';
  last_used_at: TimeMs | null;
  last_error: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

/** An event that a connector subscribes to. */
export interface ConnectorEventTable {
  connector_id: string;
  product_id: string;
  event: string;
}

/** A device that a connector has announced, under the uuid that its topics have. */
export interface AnnouncementTable {
  connector_id: string;
  device_id: string;
  uuid: string;
}

/** Something sent, or to be sent, through a connector. */
export interface DeliveryTable {
  id: string;
  connector_id: string;
  /** Type of the log row; `message` when a device sent it, `test` for a test call. */
  event: string;
  log_id: string | null;
  device_id: string | null;
  state: 'waiting' | 'done' | 'failed';
  /** How many times it was begun. */
  attempts: number;
  /** While it waits: when it is tried next. A process that begins it moves this beyond the end of its try. */
  due_at: TimeMs | null;
  /** HTTP status of the last answer. */
  status: number | null;
  error: string | null;
  created_at: TimeMs;
  finished_at: TimeMs | null;
}
