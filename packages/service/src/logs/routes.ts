import { type LogRecord, type logsContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { generalRoles, may } from '../auth/rules.ts';
import type { LogViewer } from '../db/log-audience.ts';
import type { Caller, Deps, Handlers } from '../http/types.ts';
import { type LabelledLog, listLogs, logById } from './queries.ts';

export const viewerOf = (caller: Caller): LogViewer => (may('log.all', generalRoles(caller)) ? 'everyone' : caller);

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

/** The newest logs that somebody may read. */
export const recentLogs =
  ({ storage }: Pick<Deps, 'storage'>) =>
  async (caller: Caller, limit: number): Promise<LogRecord[]> =>
    (await listLogs(storage, viewerOf(caller), { limit }, false)).items.map(logRecord);

export const logsRoutes = ({ storage }: Deps): Handlers<typeof logsContract> => ({
  // API-EP-GET-logs
  async list({ caller, query }) {
    const { items, total } = await listLogs(storage, viewerOf(caller), query);
    return success({ items: items.map(logRecord), total });
  },

  // API-EP-GET-logs-log_id
  async get({ caller, params }) {
    const row = await logById(storage.db, viewerOf(caller), params.log_id.toLowerCase());
    return row ? success(logRecord(row)) : failure(refusal('NOT_FOUND', { what: 'Log' }));
  },
});
