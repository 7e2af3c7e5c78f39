import { type LogRecord, type logsContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { viewerFor } from '../auth/rules.ts';
import type { Caller, Deps, Handlers } from '../core/types.ts';
import { listLogs, logById, newestLogs } from './queries.ts';
import { logRecord } from './records.ts';

/** The newest logs that somebody may read. */
export const recentLogs =
  ({ storage }: Pick<Deps, 'storage'>) =>
  async (caller: Caller, limit: number): Promise<LogRecord[]> =>
    (await newestLogs(storage, viewerFor('log.all', caller), { limit })).map(logRecord);

/** What has happened, as far as the caller may know of it. */
export const logsRoutes = ({ storage }: Deps): Handlers<typeof logsContract> => ({
  // API-EP-GET-logs
  async list({ caller, query }) {
    const { items, total } = await listLogs(storage, viewerFor('log.all', caller), query);
    return success({ items: items.map(logRecord), total });
  },

  // API-EP-GET-logs-log_id
  async get({ caller, params }) {
    const row = await logById(storage.db, viewerFor('log.all', caller), params.log_id);
    return row ? success(logRecord(row)) : failure(refusal('NOT_FOUND', { what: 'Log' }));
  },
});
