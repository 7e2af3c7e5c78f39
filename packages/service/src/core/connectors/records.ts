import { type ConnectorRecord, type DeliveryRecord, optionalTimestamp } from '@moorage/api';
import { type ConnectorView, type DeliveryRow, optionsOf } from './queries.ts';
import { maskSecrets } from './rules.ts';

/** The record of a connector, its secrets masked. Spec: API-RULE-connector-2. */
export const connectorRecord = (row: ConnectorView): ConnectorRecord => ({
  id: row.id,
  product_id: row.product_id,
  product: row.product,
  title: row.title,
  code: row.code,
  type: row.type,
  opts: maskSecrets(row.type, optionsOf(row)),
  state: row.last_used_at === null && row.state === 'ok' ? 'unused' : row.state,
  last_used_at: optionalTimestamp(row.last_used_at),
  last_error: row.last_error,
  created_at: String(row.created_at),
  updated_at: String(row.updated_at),
});

/** The record of what went through a connector, or waits to. */
export const deliveryRecord = (row: DeliveryRow): DeliveryRecord => ({
  id: row.id,
  event: row.event,
  log_id: row.log_id,
  device_id: row.device_id,
  state: row.state,
  attempts: row.attempts,
  due_at: optionalTimestamp(row.due_at),
  status: row.status,
  error: row.error,
  created_at: String(row.created_at),
  finished_at: optionalTimestamp(row.finished_at),
});
