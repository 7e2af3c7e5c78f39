import { type BodyOf, type OwnUserRecord, type Refusal, refusal, type usersContract } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { listed } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { addressTaken, refuseLookUp } from '../access/accounts.ts';
import { quotasOf } from '../access/quotas.ts';
import { authorise, generalRoles } from '../access/rules.ts';
import { isProven } from '../access/token-limits.ts';
import type { UserDeps } from './hooks.ts';
import { changeDetails, listUsers, type UserRow, userById } from './queries.ts';
import { listedUser, userRecord } from './records.ts';

type Contract = typeof usersContract;

/** The fields of a request that are there. */
const given = ({ email, name_given, name_family, organisation }: BodyOf<Contract['update']>) =>
  defined({ email: email?.toLowerCase(), name_given, name_family, organisation });

/** API-EP-GET-users */
async function list({ storage }: Deps, { caller, query }: Call<Contract['list']>) {
  const refused = authorise('user.list', generalRoles(caller), 'Account');
  if (refused) return failure(refused);
  return listed(listUsers(storage, query), listedUser);
}

const ownRecord = async (
  { storage, hooks: { addressLinks } }: UserDeps,
  row: UserRow,
  db: Db = storage.db,
): Promise<OwnUserRecord> => ({ ...userRecord(row), email_pending: (await addressLinks?.pending(db, row.id)) ?? null });

/** API-EP-GET-user */
const get = async (deps: UserDeps, { caller }: Call<Contract['get']>) =>
  success(await ownRecord(deps, await userById(deps.storage.db, caller.userId)));

/** API-EP-PUT-user */
async function update(deps: UserDeps, call: Call<Contract['update']>) {
  const { storage, clock, settings } = deps;
  const links = settings.smtpUrl === undefined ? undefined : deps.hooks.addressLinks;
  const { userId } = call.caller;
  const { email, ...details } = given(call.body);
  const before = await ownRecord(deps, await userById(storage.db, userId));
  const fields = Object.keys(call.body);
  if (fields.length === 0) return success(before);
  const moves = email !== undefined && email !== before.email && email !== before.email_pending;
  // Spec: API-RULE-proof-1. Who has the address has the account.
  if (moves && !isProven(call.caller, clock.now())) return failure(refusal('PROOF_NEEDED'));
  const mailed = moves ? links : undefined;
  const limited =
    (moves ? await refuseLookUp(deps, call.caller) : undefined) ??
    (mailed && moves ? await mailed.limit(email) : undefined);
  if (limited) return failure(limited);
  return transactionOverConflicts(storage, async (trx): Promise<Result<OwnUserRecord, Refusal>> => {
    if (mailed && moves) await mailed.queue(trx, userId, email);
    else if (moves && (await addressTaken(trx, email, clock.now(), userId))) {
      return failure(refusal('DUPLICATE', { what: 'Email', value: email }));
    }
    const changed = { ...details, ...(moves && !mailed && { email, email_confirmed_at: null }) };
    const isChanged = Object.keys(changed).length > 0;
    const row = isChanged ? await changeDetails(trx, userId, changed) : await userById(trx, userId);
    const log = { ...byCaller(call, clock.now()), message: 'Details changed', data: { fields } };
    await writeLog(trx, { ...log, type: 'user.update' });
    return success(await ownRecord(deps, row, trx));
  });
}

/** The caller's own account, and for administrators the list of all. */
export const usersRoutes = (deps: UserDeps): Handlers<Contract> => ({
  ...handlers(deps, { list, get, update }),
  // API-EP-GET-user-quotas
  quotas: async ({ caller }) => success(await quotasOf(deps.settings, deps.storage.db, caller)),
});
