import { type LogRecord, type logsContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { viewerFor } from '../access/rules.ts';
import { listLogs, logById, newestLogs } from './queries.ts';
import { listedLog, logRecord } from './records.ts';

type Contract = typeof logsContract;

/** The newest logs that a caller may read. */
export const recentLogs =
  ({ storage }: Pick<Deps, 'storage'>) =>
  async (caller: Caller, limit: number): Promise<LogRecord[]> =>
    (await newestLogs(storage, viewerFor('log.all', caller), limit)).map(listedLog);

/** API-EP-GET-logs */
async function list({ storage }: Deps, { caller, query }: Call<Contract['list']>) {
  const { items, ...page } = await listLogs(storage, viewerFor('log.all', caller), query);
  return success({ ...page, items: items.map(query.format === undefined ? listedLog : logRecord) });
}

/** API-EP-GET-logs-log_id */
async function get({ storage }: Deps, { caller, params }: Call<Contract['get']>) {
  const row = await logById(storage.db, viewerFor('log.all', caller), params.log_id);
  return row ? success(logRecord(row)) : failure(refusal('NOT_FOUND', { what: 'Log' }));
}

/** What has happened, as far as the caller may know of it. */
export const logsRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { list, get });
