import type { Selectable } from 'kysely';
import type { UserTable } from './schema.ts';
import type { Db } from './storage.ts';

/** The user of an email address or user name, in any letter case. Only an address has an @. */
export const findAccount = (db: Db, name: string): Promise<Selectable<UserTable> | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where(name.includes('@') ? 'email' : 'username', '=', name.toLowerCase())
    .executeTakeFirst();
