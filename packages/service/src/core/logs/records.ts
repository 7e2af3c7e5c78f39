import type { LogRecord } from '@moorage/api';
import type { LabelledLog } from './queries.ts';

/** Elements of a list in the data of a log that lists of logs show: a change of many devices names thousands. */
const shownElements = 20;

/** The same, with the first elements of long lists alone, as lists of logs show it. */
export function listedLog(row: LabelledLog): LogRecord {
  const record = logRecord(row);
  const shortened = Object.entries(record.data).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, shownElements) : value,
  ]);
  return { ...record, data: Object.fromEntries(shortened) };
}

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
