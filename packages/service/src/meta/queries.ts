import type { Db } from '../db/storage.ts';

/** Asks the database for something small; throws when it does not answer. */
export const askDatabase = async (db: Db): Promise<void> => {
  await db.selectFrom('settings').select('name').limit(1).execute();
};
