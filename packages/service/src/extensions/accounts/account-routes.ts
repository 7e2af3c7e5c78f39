import { type AccountRecord, type accountsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';
import { announceAccess, findAccount } from '../../core/access/accounts.ts';
import { authorise, generalRoles } from '../../core/access/rules.ts';
import { replacementPassword } from '../../core/auth/accounts.ts';
import { handOvers } from '../../core/core.ts';
import type { UserRow } from '../../core/users/queries.ts';
import { listedUser } from '../../core/users/records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, type LogEntry, writeLog } from '../../engine/db/logs.ts';
import { goesWith } from '../../engine/db/references.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
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
import { deleteChallenges } from './factor-queries.ts';
import { forgetFactors } from './factors.ts';
import { refuseLastOwner } from './owners.ts';

type Contract = typeof accountsContract;

const accountRecord = async (db: Db, row: UserRow): Promise<AccountRecord> => ({
  ...listedUser(row),
  ...(await dependents(db, row.id)),
});

const refuseManaging = (caller: Caller): Refusal | undefined =>
  authorise('user.manage', generalRoles(caller), 'Account');

const none = refusal('NOT_FOUND', { what: 'Account' });

/** Writes a row of the log about an account. */
type Note = (message: string, data?: object, log?: Partial<LogEntry>) => Promise<void>;

/** A change of an account by an administrator, in a transaction; event streams of its user look at their rights again. */
function changing<T>(
  { storage, clock }: Deps,
  call: Pick<Call<Contract['get']>, 'caller' | 'ip' | 'params'>,
  change: (trx: Db, account: UserRow, note: Note) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const refused = refuseManaging(call.caller);
  if (refused) return Promise.resolve(failure(refused));
  return transactionOverConflicts(storage, async (trx): Promise<Result<T, Refusal>> => {
    const account = await accountById(trx, call.params.user_id);
    if (!account) return failure(none);
    announceAccess(storage, trx, account.id);
    const about = { user_id: account.id, user: account.username };
    return change(trx, account, (message, data, log = { concernedId: account.id }) =>
      writeLog(trx, {
        ...byCaller(call, clock.now()),
        type: 'user.update',
        message,
        ...log,
        data: { ...about, ...data },
      }),
    );
  });
}

/** Refuses a change after which the service would have no administrator: LAST_ADMINISTRATOR. Spec: API-RULE-accounts-1. */
async function refuseLast(trx: Db, account: UserRow): Promise<Refusal | undefined> {
  await lockAdministrators(trx);
  return (await hasOtherAdministrator(trx, account.id)) ? undefined : refusal('LAST_ADMINISTRATOR');
}

/** API-EP-GET-users-user_id */
async function get({ storage }: Deps, { caller, params }: Call<Contract['get']>) {
  const refused = refuseManaging(caller);
  if (refused) return failure(refused);
  const account = await accountById(storage.db, params.user_id);
  return account ? success(await accountRecord(storage.db, account)) : failure(none);
}

/** API-EP-PUT-users-user_id */
const update = (deps: Deps, call: Call<Contract['update']>) =>
  changing(deps, call, async (trx, account, note) => {
    const change = accountChange(account, call.body, deps.clock.now());
    if (Object.keys(change).length === 0) return success(await accountRecord(trx, account));
    const refused =
      (losesAdministrator(account, change) ? await refuseLast(trx, account) : undefined) ??
      (await refuseLastOwner(deps.storage, trx, account, change, call.caller));
    if (refused) return failure(refused);
    const row = await changeAccount(trx, account.id, change);
    if (row.disabled_at !== null) await deleteChallenges(trx, account.id);
    const now = { role: row.role, disabled: row.disabled_at !== null };
    const before = { role: account.role, disabled: account.disabled_at !== null };
    const outcome = now.disabled ? 'disabled' : `let in as ${now.role}`;
    await note(`Account ${account.username} ${outcome}`, { ...now, before });
    return success(await accountRecord(trx, row));
  });

/** API-EP-POST-users-user_id-password */
async function resetPassword(deps: Deps, call: Call<Contract['resetPassword']>) {
  const refused = refuseManaging(call.caller);
  if (refused) return failure(refused);
  const { password, set } = await replacementPassword();
  return changing(deps, call, async (trx, account, note) => {
    await set(trx, account.id);
    await note(`Password of ${account.username} replaced by an administrator`);
    return success({ password });
  });
}

/** API-EP-DELETE-users-user_id-sessions */
const endSessions = (deps: Deps, call: Call<Contract['endSessions']>) =>
  changing(deps, call, async (trx, account, note) => {
    const { tokens = false } = call.query;
    const ended = await removeSessions(trx, account.id, tokens);
    await note(`Sessions of ${account.username} ended by an administrator`, { ended, tokens });
    return success({ ended });
  });

/** API-EP-DELETE-users-user_id-second-factor */
const resetFactors = (deps: Deps, call: Call<Contract['resetFactors']>) =>
  changing(deps, call, async (trx, account, note) => {
    await forgetFactors(trx, account.id);
    const before = account.second_factor === 1;
    await note(`Second factor of ${account.username} removed by an administrator`, { before });
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
const remove = (deps: Deps, call: Call<Contract['remove']>) =>
  changing(deps, call, async (trx, account, note) => {
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
      // The heir of an owner is one where they are one of the people already: no other is added without consent.
      if (customer_id !== null && customer_id === heir.customer_id && customer_role === 'owner') {
        await setCustomer(trx, heir, customer_id);
      }
      for (const give of handOvers) await give(trx, account.id, heir.id);
      announceAccess(deps.storage, trx, heir.id);
    }
    const last = await refuseLastOwner(deps.storage, trx, account, undefined, call.caller);
    if (last) return failure(last);
    const taken = await goesWith(deps.storage, trx, 'users', account.id);
    await deleteAccount(trx, account.id);
    const data = { email: account.email, ...(heir && { heir: heir.username, owns }), ...taken.data };
    await note(
      `Account ${account.username} deleted${taken.text}`,
      data,
      defined({ type: 'user.delete' as const, concernedId: heir?.id }),
    );
    return success(resultOk);
  });

/** Accounts in the hands of administrators. */
export const accountsRoutes = (deps: Deps): Handlers<Contract> =>
  handlers(deps, { get, update, resetPassword, endSessions, resetFactors, remove });
