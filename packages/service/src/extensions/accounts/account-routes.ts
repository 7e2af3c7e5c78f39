import { type AccountRecord, type accountsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { announceAccess, findAccount } from '../../core/access/accounts.ts';
import { authorise, generalRoles } from '../../core/access/rules.ts';
import type { UserRow } from '../../core/users/queries.ts';
import { listedUser } from '../../core/users/records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { goesWith } from '../../engine/db/references.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller, Deps, Handler, Handlers } from '../../engine/http/types.ts';
import {
  accountById,
  changeAccount,
  deleteAccount,
  dependents,
  hasOtherAdministrator,
  lockAdministrators,
  removeSessions,
} from './account-queries.ts';
import { accountChange, losesAdministrator, refuseWithoutHeir } from './account-rules.ts';
import { setCustomer } from './customer-queries.ts';
import { refuseLastOwner } from './owners.ts';

type Contract = typeof accountsContract;

export interface AccountDeps extends Deps {
  /** Gives all that one account owns to another, in a transaction of the caller: each slice its own tables. */
  readonly handOver: readonly ((trx: Db, from: string, to: string) => Promise<void>)[];
  /** A password for somebody who has lost theirs; `set` ends the login sessions of the account. */
  readonly replacementPassword: () => Promise<{
    readonly password: string;
    readonly set: (trx: Db, userId: string) => Promise<void>;
  }>;
  /** Forgets the second factor of an account, and ends its login sessions. */
  readonly forgetFactors: (trx: Db, userId: string) => Promise<void>;
  /** Ends logins that wait for a second factor. */
  readonly endLogins: (trx: Db, userId: string) => Promise<void>;
}

const accountRecord = async (db: Db, row: UserRow): Promise<AccountRecord> => ({
  ...listedUser(row),
  ...(await dependents(db, row.id)),
});

const refuseManaging = (caller: Caller): Refusal | undefined =>
  authorise('user.manage', generalRoles(caller), 'Account');

const none = refusal('NOT_FOUND', { what: 'Account' });

/** A change of an account by an administrator, in a transaction, told to the event streams of its user. */
function changing<T>(
  { storage }: AccountDeps,
  { caller, params }: { readonly caller: Caller; readonly params: { readonly user_id: string } },
  change: (trx: Db, account: UserRow) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const refused = refuseManaging(caller);
  if (refused) return Promise.resolve(failure(refused));
  return transactionOverConflicts(storage, async (trx): Promise<Result<T, Refusal>> => {
    const account = await accountById(trx, params.user_id);
    if (!account) return failure(none);
    announceAccess(storage, trx, account.id);
    return change(trx, account);
  });
}

/** Refuses a change after which nobody could administer the service: LAST_ADMINISTRATOR. Spec: API-RULE-accounts-1. */
async function refuseLast(trx: Db, account: UserRow): Promise<Refusal | undefined> {
  await lockAdministrators(trx);
  return (await hasOtherAdministrator(trx, account.id)) ? undefined : refusal('LAST_ADMINISTRATOR');
}

/** API-EP-GET-users-user_id */
const get =
  ({ storage }: AccountDeps): Handler<Contract['get']> =>
  async ({ caller, params }) => {
    const refused = refuseManaging(caller);
    if (refused) return failure(refused);
    const account = await accountById(storage.db, params.user_id);
    return account ? success(await accountRecord(storage.db, account)) : failure(none);
  };

/** API-EP-PUT-users-user_id */
const update =
  (deps: AccountDeps): Handler<Contract['update']> =>
  (call) =>
    changing(deps, call, async (trx, account) => {
      const atMs = deps.clock.now();
      const change = accountChange(account, call.body, atMs);
      if (Object.keys(change).length === 0) return success(await accountRecord(trx, account));
      const refused =
        (losesAdministrator(account, change) ? await refuseLast(trx, account) : undefined) ??
        (await refuseLastOwner(deps.storage, trx, account, change, call.caller));
      if (refused) return failure(refused);
      const row = await changeAccount(trx, account.id, change);
      if (row.disabled_at !== null) await deps.endLogins(trx, account.id);
      const now = { role: row.role, disabled: row.disabled_at !== null };
      const before = { role: account.role, disabled: account.disabled_at !== null };
      const data = { user_id: account.id, user: account.username, ...now, before };
      const standing = now.disabled ? 'disabled' : `let in as ${now.role}`;
      const log = { ...byCaller(call, atMs), concernedId: account.id, data };
      await writeLog(trx, { ...log, type: 'user.update', message: `Account ${account.username} ${standing}` });
      return success(await accountRecord(trx, row));
    });

/** API-EP-POST-users-user_id-password */
const resetPassword =
  (deps: AccountDeps): Handler<Contract['resetPassword']> =>
  async (call) => {
    const refused = refuseManaging(call.caller);
    if (refused) return failure(refused);
    const { password, set } = await deps.replacementPassword();
    return changing(deps, call, async (trx, account) => {
      await set(trx, account.id);
      const message = `Password of ${account.username} replaced by an administrator`;
      const data = { user_id: account.id, user: account.username };
      const log = { ...byCaller(call, deps.clock.now()), concernedId: account.id, message, data };
      await writeLog(trx, { ...log, type: 'user.update' });
      return success({ password });
    });
  };

/** API-EP-DELETE-users-user_id-sessions */
const endSessions =
  (deps: AccountDeps): Handler<Contract['endSessions']> =>
  (call) =>
    changing(deps, call, async (trx, account) => {
      const { tokens = false } = call.query;
      const ended = await removeSessions(trx, account.id, tokens);
      const message = `Sessions of ${account.username} ended by an administrator`;
      const data = { user_id: account.id, user: account.username, ended, tokens };
      const log = { ...byCaller(call, deps.clock.now()), concernedId: account.id, message, data };
      await writeLog(trx, { ...log, type: 'user.update' });
      return success({ ended });
    });

/** API-EP-DELETE-users-user_id-second-factor */
const resetFactors =
  (deps: AccountDeps): Handler<Contract['resetFactors']> =>
  (call) =>
    changing(deps, call, async (trx, account) => {
      await deps.forgetFactors(trx, account.id);
      const message = `Second factor of ${account.username} removed by an administrator`;
      const data = { user_id: account.id, user: account.username, before: account.second_factor === 1 };
      const log = { ...byCaller(call, deps.clock.now()), concernedId: account.id, message, data };
      await writeLog(trx, { ...log, type: 'user.update' });
      return success(resultOk);
    });

/** The account that gets what another owns; `undefined` where a request names none. */
async function heirOf(
  trx: Db,
  name: string | undefined,
  account: UserRow,
): Promise<Result<UserRow | undefined, Refusal>> {
  if (name === undefined) return success(undefined);
  const heir = await findAccount(trx, name);
  return heir && heir.id !== account.id ? success(heir) : failure(refusal('NOT_FOUND', { what: `Heir "${name}"` }));
}

/** API-EP-DELETE-users-user_id */
const remove =
  (deps: AccountDeps): Handler<Contract['remove']> =>
  (call) =>
    changing(deps, call, async (trx, account) => {
      const found = await heirOf(trx, call.query.heir, account);
      if (!found.ok) return found;
      const heir = found.value;
      const isAdministrator = losesAdministrator(account, { role: 'user' });
      const { owns } = await dependents(trx, account.id);
      const refused =
        (isAdministrator ? await refuseLast(trx, account) : undefined) ??
        (heir ? undefined : refuseWithoutHeir(account.username, owns));
      if (refused) return failure(refused);
      if (heir) {
        const { customer_id, customer_role } = account;
        // The heir of an owner is one where they are one of the people already: nobody else is added without consent.
        if (customer_id !== null && customer_id === heir.customer_id && customer_role === 'owner') {
          await setCustomer(trx, heir, customer_id);
        }
        for (const give of deps.handOver) await give(trx, account.id, heir.id);
        announceAccess(deps.storage, trx, heir.id);
      }
      const last = await refuseLastOwner(deps.storage, trx, account, undefined, call.caller);
      if (last) return failure(last);
      const taken = await goesWith(deps.storage, trx, 'users', account.id);
      await deleteAccount(trx, account.id);
      const data = {
        user_id: account.id,
        user: account.username,
        email: account.email,
        ...(heir && { heir: heir.username, owns }),
        ...taken.data,
      };
      const message = `Account ${account.username} deleted${taken.text}`;
      const log = { ...byCaller(call, deps.clock.now()), message, data };
      await writeLog(trx, { ...log, type: 'user.delete', ...(heir && { concernedId: heir.id }) });
      return success(resultOk);
    });

/** Accounts in the hands of administrators. */
export const accountsRoutes = (deps: AccountDeps): Handlers<Contract> => ({
  get: get(deps),
  update: update(deps),
  resetPassword: resetPassword(deps),
  endSessions: endSessions(deps),
  resetFactors: resetFactors(deps),
  remove: remove(deps),
});
