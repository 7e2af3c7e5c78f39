import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type AuthorityRow = Row<'authorities'>;

/** The value of a setting of the installation, if it is there. */
export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** The settings of the installation whose names begin so, in the order of their names. */
export const readSettings = (db: Db, beginning: string): Promise<{ name: string; value: string }[]> =>
  db.selectFrom('settings').selectAll().where('name', 'like', `${beginning}%`).orderBy('name').execute();

export const deleteSetting = (trx: Db, name: string) => trx.deleteFrom('settings').where('name', '=', name).execute();

/** Stores a setting, in place of what was there. */
export const replaceSetting = (trx: Db, name: string, value: string) =>
  trx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();

/** All authorities that there have been, the newest first. */
export const allAuthorities = (db: Db): Promise<AuthorityRow[]> =>
  db.selectFrom('authorities').selectAll().orderBy('created_at', 'desc').orderBy('fingerprint').execute();

/** Those that are not retired. */
export const liveAuthorities = (db: Db): Promise<AuthorityRow[]> =>
  db.selectFrom('authorities').selectAll().where('state', '!=', 'retired').execute();

export const insertAuthority = (trx: Db, row: AuthorityRow) => trx.insertInto('authorities').values(row).execute();

/** Gives an authority another state; a retired one has no key any more. */
export const changeAuthority = (trx: Db, fingerprint: string, state: AuthorityRow['state'], atMs: number) =>
  trx
    .updateTable('authorities')
    .set({ state, changed_at: atMs, ...(state === 'retired' && { private_key: '' }) })
    .where('fingerprint', '=', fingerprint)
    .execute();

/** How many devices with a certificate go by each authority, and how many of them have been heard of since a moment. */
export const devicesByAuthority = (db: Db, sinceMs: number) =>
  db
    .selectFrom('devices')
    .select(({ fn, eb }) => [
      'authority',
      fn.countAll<number>().as('devices'),
      fn.count<number>(eb.case().when('last_seen_at', '>=', sinceMs).then(1).end()).as('recent'),
    ])
    .where('certificate_fingerprint', 'is not', null)
    .groupBy('authority')
    .execute();
