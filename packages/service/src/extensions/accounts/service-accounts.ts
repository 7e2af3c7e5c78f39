import {
  optionalTimestamp,
  type Refusal,
  refusal,
  resultOk,
  ServiceAccountRecord,
  type serviceAccountsContract,
  serviceAccountsLimit,
  serviceTokensLimit,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { announceAccess } from '../../core/access/accounts.ts';
import { allowedProduct, type ProductForCaller } from '../../core/access/products.ts';
import { refuseLonger } from '../../core/access/token-limits.ts';
import { makeToken } from '../../core/auth/accounts.ts';
import { deleteToken, type TokenRow, type UserRow } from '../../core/auth/queries.ts';
import { tokenRecord } from '../../core/auth/token-records.ts';
import { handOvers } from '../../core/core.ts';
import { putMember } from '../../core/products/people-queries.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, type LogEntry, writeLog } from '../../engine/db/logs.ts';
import { noteBefore, noteMade } from '../../engine/db/observer.ts';
import type { Db } from '../../engine/db/storage.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import {
  deleteServiceAccount,
  insertServiceAccount,
  serviceAccountById,
  serviceAccountsOf,
  setServiceAccount,
  tokensOf,
} from './service-account-queries.ts';

type Contract = typeof serviceAccountsContract;

const recordOf = (row: UserRow, tokens: readonly TokenRow[], caller: Caller): ServiceAccountRecord =>
  recordFrom(ServiceAccountRecord, row, {
    name: row.username.slice(row.username.indexOf(':') + 1),
    user: row.username,
    tokens: tokens.filter(({ user_id }) => user_id === row.id).map((token) => tokenRecord(token, caller)),
  });

/** The product of a request, for who may manage its service accounts. */
const productOf = (db: Db, { caller, params }: { caller: Caller; params: { product_id: string } }) =>
  allowedProduct(db, params.product_id, caller, 'product.service_accounts');

type Changed<T> = Result<T & { readonly log: Pick<LogEntry, 'type' | 'message' | 'data'> }, Refusal>;

/** A change of one service account in a transaction, with its row of the log. */
function changing<T extends object>(
  { storage, clock }: Deps,
  call: Pick<Call<Contract['update']>, 'caller' | 'ip' | 'params'>,
  change: (trx: Db, account: UserRow, product: ProductForCaller, atMs: number) => Promise<Changed<T>>,
): Promise<Result<T, Refusal>> {
  return transactionOverConflicts(storage, async (trx): Promise<Result<T, Refusal>> => {
    const allowed = await productOf(trx, call);
    if (!allowed.ok) return allowed;
    const account = await serviceAccountById(trx, allowed.value.id, call.params.service_account_id);
    if (!account) return failure(refusal('NOT_FOUND', { what: 'Service account' }));
    const atMs = clock.now();
    const changed = await change(trx, account, allowed.value, atMs);
    if (!changed.ok) return changed;
    announceAccess(storage, trx, account.id);
    const { log } = changed.value;
    const about = { user_id: account.id, user: account.username };
    await writeLog(trx, {
      ...byCaller(call, atMs),
      ...log,
      productId: allowed.value.id,
      data: { ...about, ...log.data },
    });
    return changed;
  });
}

/** API-EP-GET-products-product_id-service-accounts */
async function list({ storage: { db } }: Deps, call: Call<Contract['list']>) {
  const allowed = await productOf(db, call);
  if (!allowed.ok) return allowed;
  const rows = await serviceAccountsOf(db, allowed.value.id);
  const tokens = await tokensOf(
    db,
    rows.map(({ id }) => id),
  );
  return success(rows.map((row) => recordOf(row, tokens, call.caller)));
}

/** API-EP-POST-products-product_id-service-accounts. Spec: API-RULE-service-account-1. */
const create = ({ storage, clock }: Deps, call: Call<Contract['create']>) =>
  transactionOverConflicts(storage, async (trx): Promise<Result<ServiceAccountRecord, Refusal>> => {
    const allowed = await productOf(trx, call);
    if (!allowed.ok) return allowed;
    const { id: productId, product } = allowed.value;
    const { name } = call.body;
    const others = await serviceAccountsOf(trx, productId);
    // No person has such a name: theirs have no colon.
    const username = `${product.toLowerCase()}:${name}`;
    if (others.some((one) => one.username === username)) {
      return failure(refusal('DUPLICATE', { what: 'Service account', value: name }));
    }
    if (others.length >= serviceAccountsLimit) {
      const blanks = { what: `Product "${product}"`, limit: serviceAccountsLimit, things: 'service accounts' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const atMs = clock.now();
    const row = await insertServiceAccount(trx, { username, productId, atMs });
    // It does what a manager of its product does.
    await putMember(trx, { product_id: productId, user_id: row.id, role: 'manager', created_at: atMs });
    noteMade(row.id);
    const message = `Service account ${username} made`;
    const data = { user_id: row.id, user: username };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'user.create', message, productId, data });
    return success(recordOf(row, [], call.caller));
  });

/** API-EP-PUT-products-product_id-service-accounts-service_account_id */
async function update(deps: Deps, call: Call<Contract['update']>) {
  const { disabled } = call.body;
  const changed = await changing(deps, call, async (trx, account, _, atMs) => {
    const row = await setServiceAccount(trx, account.id, disabled ? (account.disabled_at ?? atMs) : null);
    const message = `Service account ${account.username} ${disabled ? 'disabled' : 'let in'}`;
    const before = { disabled: account.disabled_at !== null };
    noteBefore(before);
    const record = recordOf(row, await tokensOf(trx, [row.id]), call.caller);
    return success({ record, log: { type: 'user.update', message, data: { disabled, before } } });
  });
  return changed.ok ? success(changed.value.record) : changed;
}

/** API-EP-DELETE-products-product_id-service-accounts-service_account_id. Spec: API-RULE-service-account-2. */
async function remove(deps: Deps, call: Call<Contract['remove']>) {
  const changed = await changing(deps, call, async (trx, account) => {
    await removeServiceAccount(deps, trx, account.id, call.caller.userId);
    return success({ log: { type: 'user.delete', message: `Service account ${account.username} deleted` } });
  });
  return changed.ok ? success(resultOk) : changed;
}

/** API-EP-POST-products-product_id-service-accounts-service_account_id-tokens */
async function addToken(deps: Deps, call: Call<Contract['addToken']>) {
  const { title, scopes, days } = call.body;
  const unproven = refuseLonger(call.caller, days, deps.clock.now());
  if (unproven) return failure(unproven);
  const changed = await changing(deps, call, async (trx, account, product, atMs) => {
    if ((await tokensOf(trx, [account.id])).length >= serviceTokensLimit) {
      const blanks = { what: `Service account "${account.username}"`, limit: serviceTokensLimit, things: 'tokens' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const of = { userId: account.id, client: null, productIds: [product.id] };
    const made = await makeToken(trx, { ...of, title, scopes, days, atMs });
    noteMade(made.row.id);
    const message = `Token "${title}" of service account ${account.username} made`;
    const data = { scopes, expires_at: optionalTimestamp(made.row.expires_at) };
    return success({ ...made, log: { type: 'token.create', message, data } });
  });
  return changed.ok ? success(tokenRecord(changed.value.row, call.caller, changed.value.token)) : changed;
}

/** API-EP-DELETE-products-product_id-service-accounts-service_account_id-tokens-token_id. Spec: API-RULE-token-2. */
async function removeToken(deps: Deps, call: Call<Contract['removeToken']>) {
  const changed = await changing(deps, call, async (trx, account) => {
    const gone = await deleteToken(trx, call.params.token_id, account.id);
    if (!gone) return failure(refusal('NOT_FOUND', { what: 'Token' }));
    const message = `Token "${gone.title}" of service account ${account.username} revoked`;
    return success({ log: { type: 'token.revoke', message } });
  });
  return changed.ok ? success(resultOk) : changed;
}

/** Removes a service account; what it has made goes to an heir. */
async function removeServiceAccount(
  { storage }: Pick<Deps, 'storage'>,
  trx: Db,
  id: string,
  heirId: string,
): Promise<void> {
  for (const give of handOvers) await give(trx, id, heirId);
  announceAccess(storage, trx, id);
  await deleteServiceAccount(trx, id);
}

/** Removes the service accounts of a product that is about to go, in the transaction of that. */
export const removeServiceAccounts =
  (deps: Pick<Deps, 'storage'>) =>
  async (trx: Db, productId: string, heirId: string): Promise<void> => {
    for (const { id } of await serviceAccountsOf(trx, productId)) await removeServiceAccount(deps, trx, id, heirId);
  };

/** Accounts of programs that belong to a product. */
export const serviceAccountRoutes = (deps: Deps): Handlers<Contract> =>
  handlers(deps, { list, create, update, remove, addToken, removeToken });
