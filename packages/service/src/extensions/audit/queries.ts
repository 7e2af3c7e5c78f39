import type { AuditQuery } from '@moorage/api';
import { watchedProducts } from '../../core/access/logs.ts';
import type { Viewer, ViewingUser } from '../../core/access/viewer.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { type Chain, emptyChain, hashOf, type Link } from './rules.ts';

/** Name of the one row of the table. */
const chainId = 'chain';
/** Rows that get their place in one transaction. */
const sealedAtOnce = 500;

const chainRow = (db: Db) => db.selectFrom('audit_chain').selectAll().where('id', '=', chainId);

/** Where the chain begins and ends; nothing before its first row. */
export const chainOf = (db: Db): Promise<Chain | undefined> => chainRow(db).executeTakeFirst();

/**
 * The chain, kept from others until the transaction ends. Nothing when rows stand there without it: it was
 * removed by hand, and another would hide that.
 */
async function lockChain({ expressions }: Storage, trx: Db): Promise<Chain | undefined> {
  if ((await linksFrom(trx, 0, 1)).length === 0) {
    await trx
      .insertInto('audit_chain')
      .values({ id: chainId, ...emptyChain })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
  return expressions.lockRows(chainRow(trx)).executeTakeFirst();
}

const setChain = async (trx: Db, change: Partial<Chain>): Promise<void> => {
  await trx.updateTable('audit_chain').set(change).where('id', '=', chainId).execute();
};

/** Gives changes that wait their places in the chain, the oldest first. Returns how many it found. */
const sealSome = (storage: Storage): Promise<number> =>
  storage.transaction(async (trx) => {
    const waiting = await trx.selectFrom('audit_queue').selectAll().orderBy('id').limit(sealedAtOnce).execute();
    if (waiting.length === 0) return 0;
    const chain = await lockChain(storage, trx);
    // They wait until it has been restored.
    if (!chain) return 0;
    let { seq, hash } = chain;
    const links: Link[] = [];
    for (const { id: _, ...change } of waiting satisfies Row<'audit_queue'>[]) {
      const link = { seq: ++seq, ...change, previous: hash };
      hash = hashOf(link);
      links.push({ ...link, hash });
    }
    await trx.insertInto('audit').values(links).execute();
    const ids = waiting.map(({ id }) => id);
    await trx.deleteFrom('audit_queue').where('id', 'in', ids).execute();
    await setChain(trx, { seq, hash });
    return waiting.length;
  });

/** Gives all changes that wait their places. */
export async function seal(storage: Storage): Promise<void> {
  while ((await sealSome(storage)) === sealedAtOnce);
}

/** Rows of the chain from behind a number on. */
export const linksFrom = (db: Db, seq: number, limit: number): Promise<Link[]> =>
  db.selectFrom('audit').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();

/**
 * Lets the oldest rows from before a moment go, `rows` at most, but for the newest of them: the chain begins with that
 * one, whose hash proves how old they were. Returns how many.
 */
export async function dropBefore(storage: Storage, trx: Db, beforeMs: number, rows: number): Promise<number> {
  const chain = await lockChain(storage, trx);
  if (!chain) return 0;
  const oldest = await linksFrom(trx, chain.dropped_seq, rows + 1);
  const kept = oldest.findIndex(({ at }) => at >= beforeMs);
  const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-2);
  if (!last) return 0;
  await setChain(trx, { dropped_seq: last.seq, dropped_hash: last.hash });
  await trx.deleteFrom('audit').where('seq', '<=', last.seq).execute();
  return last.seq - chain.dropped_seq;
}

type NamedViewer = ViewingUser & Pick<Caller, 'username'>;

/** The rows that a viewer may read: all, or their own and those of the products whose logs they read. */
async function filtered(db: Db, viewer: Viewer<NamedViewer>, query: AuditQuery) {
  const { user, action, object, product_id, from, to } = query;
  let rows = db.selectFrom('audit');
  if (viewer !== 'everyone') {
    const { userId, username } = viewer;
    const products = await watchedProducts(db, viewer);
    rows = rows.where((eb) =>
      // Each of them has an index: of names, and of products as long as no query stands for these.
      eb.or([
        eb.and([eb('user', '=', username), eb('user_id', '=', userId)]),
        ...(products.length > 0 ? [eb('product_id', 'in', products)] : []),
      ]),
    );
  }
  if (user !== undefined) rows = rows.where('user', '=', user.trim().toLowerCase());
  if (action !== undefined) rows = rows.where('action', '=', action);
  if (object !== undefined)
    rows = rows.where((eb) => eb.or([eb('object_id', '=', object), eb('product_id', '=', object)]));
  if (product_id !== undefined) rows = rows.where('product_id', '=', product_id);
  if (from !== undefined) rows = rows.where('at', '>=', from);
  if (to !== undefined) rows = rows.where('at', '<', to);
  return rows;
}

/** A page of the audit, how many rows there are in all, and for a whole list where it goes on. */
export async function listAudit(
  db: Db,
  viewer: Viewer<NamedViewer>,
  query: AuditQuery,
): Promise<{ items: Link[]; total: number; next?: string }> {
  const { limit = 50, offset = 0, sort = '-seq', after, format } = query;
  const direction = sort === 'seq' ? 'asc' : 'desc';
  const rows = await filtered(db, viewer, query);
  const behind = after === undefined ? rows : rows.where('seq', direction === 'asc' ? '>' : '<', Number(after));
  const items = await behind
    .selectAll()
    .orderBy('seq', direction)
    .limit(limit)
    // What comes meanwhile moves no page of a whole list.
    .offset(format === undefined ? offset : 0)
    .execute();
  const last = items.at(-1);
  if (format !== undefined) {
    return { items, total: items.length, ...(items.length === limit && last && { next: String(last.seq) }) };
  }
  const { total } = await rows.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { items, total };
}
