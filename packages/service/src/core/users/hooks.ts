import type { Refusal } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';

/** What extensions answer about the addresses of accounts. */
export interface UserHooks {
  /** Confirms another address by a mail before it counts; where there is no answer, it counts at once. */
  readonly addressLinks?:
    | {
        /** Outside of a transaction: counts a mail to an address, or refuses it. */
        limit(email: string): Promise<Refusal | undefined>;
        /** Inside the transaction: queues a mail with a link that gives the account the address. */
        queue(trx: Db, userId: string, email: string): Promise<void>;
        /** The address that an account is about to get. */
        pending(db: Db, userId: string): Promise<string | null>;
      }
    | undefined;
}

/** What needs the hooks of accounts. */
export type UserDeps = Deps & { readonly hooks: UserHooks };
