import type { Db } from '../db/storage.ts';

/** The value of a setting of the installation, if it is there. */
export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** The settings of the installation whose names begin so, in the order of their names. */
export const readSettings = (db: Db, beginning: string): Promise<{ name: string; value: string }[]> =>
  db.selectFrom('settings').selectAll().where('name', 'like', `${beginning}%`).orderBy('name').execute();

export async function deleteSetting(trx: Db, name: string): Promise<void> {
  await trx.deleteFrom('settings').where('name', '=', name).execute();
}

/** Stores a setting unless it is there already; returns what is there afterwards. */
export async function keepSetting(trx: Db, name: string, value: string): Promise<string> {
  await trx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await readSetting(trx, name)) ?? value;
}

/** Stores a setting, in place of what was there. */
export async function replaceSetting(trx: Db, name: string, value: string): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
