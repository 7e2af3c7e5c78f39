import type { Selectable } from 'kysely';
import { topics } from '../bus/topics.ts';
import type { UserTable } from './schema.ts';
import type { Db, Storage } from './storage.ts';
import { afterCommit } from './transaction.ts';

/** The person of an email address or user name, in any letter case. Only an address has an @. */
export const findAccount = (db: Db, name: string): Promise<Selectable<UserTable> | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where(name.includes('@') ? 'email' : 'username', '=', name.toLowerCase())
    .where('service_product_id', 'is', null)
    .executeTakeFirst();

/** After the change, event streams of the user that they may not listen to any more end at once, on every node. */
export const announceAccess = ({ bus }: Pick<Storage, 'bus'>, trx: Db, userId: string): void =>
  afterCommit(trx, () => bus.publish(topics.accessChanged, { userId }));
