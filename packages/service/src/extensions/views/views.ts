import { randomUUID } from 'node:crypto';
import { type Refusal, refusal, resultOk, ViewRecord, type viewsContract, viewsLimit } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { listed, recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { changeView, countViews, deleteView, insertView, listViews, type ViewRow } from './view-queries.ts';

type Contract = typeof viewsContract;

const record = (row: ViewRow): ViewRecord => recordFrom(ViewRecord, row);

const none = refusal('NOT_FOUND', { what: 'View' });

/** API-EP-GET-user-views */
const list = ({ storage }: Deps, { caller, query }: Call<Contract['list']>) =>
  listed(listViews(storage.db, caller.userId, paging(query, 'title'), query.page), record);

/** API-EP-POST-user-views */
const create = ({ storage, clock }: Deps, { caller, body: { page, title, state } }: Call<Contract['create']>) =>
  storage.transaction(async (trx): Promise<Result<ViewRecord, Refusal>> => {
    // API-LIMIT-views
    if ((await countViews(trx, caller.userId)) >= viewsLimit) {
      return failure(refusal('LIMIT_REACHED', { what: 'The account', limit: viewsLimit, things: 'saved views' }));
    }
    const atMs = clock.now();
    const own = { id: randomUUID(), user_id: caller.userId, created_at: atMs, updated_at: atMs };
    const row = { ...own, page, title, state };
    await insertView(trx, row);
    noteMade(row.id);
    return success(record(row));
  });

/** API-EP-PUT-user-views-view_id */
async function update({ storage, clock }: Deps, { caller, params, body: { title, state } }: Call<Contract['update']>) {
  const change = defined({ title, state });
  const row = await changeView(storage.db, caller.userId, params.view_id, { ...change, updated_at: clock.now() });
  return row ? success(record(row)) : failure(none);
}

/** API-EP-DELETE-user-views-view_id */
const remove = async ({ storage }: Deps, { caller, params }: Call<Contract['remove']>) =>
  (await deleteView(storage.db, caller.userId, params.view_id)) ? success(resultOk) : failure(none);

/** What users have saved of pages; each has their own. They stand in no log: nothing follows from them. */
export const viewsRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { list, create, update, remove });
