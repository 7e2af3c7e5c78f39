import type { LogRecord } from '@moorage/api';
import type { LabelledLog } from './queries.ts';

/** The record of a log. Reference: records 1.8. */
export const logRecord = (row: LabelledLog): LogRecord => ({
  id: row.id,
  type: row.type,
  level: row.level,
  message: row.message,
  user_id: row.user_id,
  user: row.user,
  device_id: row.device_id,
  device: row.device,
  product_id: row.product_id,
  product: row.product,
  bundle_id: row.bundle_id,
  ip: row.ip,
  client: row.client,
  data: JSON.parse(row.data),
  created_at: String(row.created_at),
});
