import type { authContract, Refusal, ReplyOf } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps, RequestOrigin } from '../../engine/http/types.ts';
import type { UserRow } from './queries.ts';

/** What extensions answer about accounts, logins and sessions. */
export interface AuthHooks {
  /** A password was right, outside of a transaction: refuses a login that needs more than it. */
  refuseLogin(deps: Pick<Deps, 'storage' | 'clock'>, user: UserRow): Promise<Refusal | undefined>;
  /** An account has signed up; inside the transaction that makes it. */
  accountMade(trx: Db, user: UserRow): Promise<void>;
  /** An account gets another password; inside the transaction. */
  passwordChanged(trx: Db, userId: string): Promise<void>;
  /** A session of the console is about to end, before it does: where its user signs out elsewhere too. */
  sessionEnds(tokenId: string): Promise<{ readonly sign_out_url?: string }>;
  /** What the page for signing in offers beside a password. */
  waysIn(call: RequestOrigin): Omit<ReplyOf<(typeof authContract)['policy']>, 'sign_up'>;
}

/** What needs the hooks of accounts and logins. */
export type AuthDeps = Deps & { readonly hooks: AuthHooks };
