import { randomUUID } from 'node:crypto';
import { type Refusal, refusal, resultOk, type ViewRecord, type viewsContract, viewsLimit } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Deps, Handler, Handlers } from '../../engine/http/types.ts';
import { changeView, countViews, deleteView, insertView, listViews, type ViewRow } from './view-queries.ts';

type Contract = typeof viewsContract;

const record = ({ user_id: _, created_at, updated_at, ...row }: ViewRow): ViewRecord => ({
  ...row,
  created_at: String(created_at),
  updated_at: String(updated_at),
});

const none = refusal('NOT_FOUND', { what: 'View' });

/** API-EP-GET-user-views */
const list =
  ({ storage }: Deps): Handler<Contract['list']> =>
  async ({ caller, query }) => {
    const { items, total } = await listViews(storage.db, caller.userId, paging(query, 'title'), query.page);
    return success({ items: items.map(record), total });
  };

/** API-EP-POST-user-views */
const create =
  ({ storage, clock }: Deps): Handler<Contract['create']> =>
  ({ caller, body: { page, title, state } }) =>
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
const update =
  ({ storage, clock }: Deps): Handler<Contract['update']> =>
  async ({ caller, params, body: { title, state } }) => {
    const change = { ...(title !== undefined && { title }), ...(state !== undefined && { state }) };
    const row = await changeView(storage.db, caller.userId, params.view_id, { ...change, updated_at: clock.now() });
    return row ? success(record(row)) : failure(none);
  };

/** API-EP-DELETE-user-views-view_id */
const remove =
  ({ storage }: Deps): Handler<Contract['remove']> =>
  async ({ caller, params }) =>
    (await deleteView(storage.db, caller.userId, params.view_id)) ? success(resultOk) : failure(none);

/** What users have saved of pages; each has their own. They stand in no log: nothing follows from them. */
export const viewsRoutes = (deps: Deps): Handlers<Contract> => ({
  list: list(deps),
  create: create(deps),
  update: update(deps),
  remove: remove(deps),
});
