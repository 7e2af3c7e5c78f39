import { randomUUID } from 'node:crypto';
import {
  FoundRecord,
  foundForMs,
  type gatewaysContract,
  gatewaysLimit,
  type Refusal,
  refusal,
  type SeenModule,
} from '@moorage/api';
import { failure, hourMs, type Result, success } from '@moorage/base';
import { growingProduct } from '../../core/access/products.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { listed, recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import {
  changeFound,
  countOthers,
  deleteFound,
  type FoundRow,
  type FoundView,
  findFound,
  forgetFound,
  foundBy,
  insertFound,
  listFound,
  touchFound,
} from './queries.ts';

type Contract = typeof gatewaysContract;

const record = (row: FoundView): FoundRecord => recordFrom(FoundRecord, row);

type Seen = Pick<FoundRow, 'address' | 'mac' | 'version' | 'board' | 'ssid' | 'signal' | 'has_password'>;

const seenOf = ({ address, mac, version, board, ssid, signal, has_password }: SeenModule): Seen => ({
  address,
  mac: mac ?? null,
  version: version ?? null,
  board: board ?? null,
  ssid: ssid ?? null,
  signal: signal ?? null,
  has_password: has_password === undefined ? null : Number(has_password),
});

const differs = (row: FoundRow, seen: Seen): boolean =>
  (Object.keys(seen) as (keyof Seen)[]).some((name) => row[name] !== seen[name]);

/** Another module at an address is another one: nothing that was asked for is passed on to it. */
const isSame = (row: FoundRow, seen: Seen): boolean => row.address === seen.address && row.mac === seen.mac;

type Own = Pick<FoundRow, 'user_id' | 'gateway_id' | 'gateway' | 'seen_at'>;

/** Brings what is kept to what the gateway tells, and returns what it is to adopt. */
async function keep(trx: Db, own: Own, modules: readonly SeenModule[]) {
  const rows = await foundBy(trx, own.user_id, own.gateway_id);
  const adopt: { address: string; mac: string | null; product_id: string }[] = [];
  const kept = new Set<string>();
  for (const { problem, ...module } of new Map(modules.map((one) => [one.address, one])).values()) {
    const seen = seenOf(module);
    const row = rows.find((one) => isSame(one, seen));
    if (!row) {
      await insertFound(trx, { id: randomUUID(), ...own, ...seen, problem: problem ?? null, product_id: null });
      continue;
    }
    kept.add(row.id);
    // What could not be adopted waits until it is asked for again.
    const answer = problem === undefined ? {} : { problem, product_id: null };
    if (problem !== undefined || differs(row, seen)) await changeFound(trx, row.id, { ...seen, ...answer });
    const { address, mac, product_id } = row;
    if (problem === undefined && product_id !== null) adopt.push({ address, mac, product_id });
  }
  for (const { id } of rows) if (!kept.has(id)) await deleteFound(trx, id);
  const { gateway, seen_at } = own;
  await touchFound(trx, own.user_id, own.gateway_id, { gateway, seen_at });
  return adopt;
}

/** API-EP-PUT-user-gateways-gateway_id-found */
const report = (
  { storage, clock }: Deps,
  { caller: { userId }, params: { gateway_id }, body: { gateway, modules } }: Call<Contract['report']>,
) =>
  storage.transaction(async (trx) => {
    const atMs = clock.now();
    await forgetFound(trx, userId, atMs - hourMs);
    // API-LIMIT-gateways
    if ((await countOthers(trx, userId, gateway_id)) >= gatewaysLimit)
      return failure(refusal('LIMIT_REACHED', { what: 'The account', limit: gatewaysLimit, things: 'gateways' }));
    const own = { user_id: userId, gateway_id, gateway, seen_at: atMs };
    return success({ adopt: await keep(trx, own, modules) });
  });

/** API-EP-GET-user-found-modules */
async function found({ storage, clock }: Deps, { caller, query }: Call<Contract['found']>) {
  const sinceMs = clock.now() - foundForMs;
  return listed(listFound(storage.db, caller.userId, sinceMs, paging(query, 'address')), record);
}

/** API-EP-POST-user-found-modules-found_id-adopt. Provisioning and claiming stand in the log when the gateway does them. */
const adopt = ({ storage }: Deps, { caller, params: { found_id }, body: { product_id } }: Call<Contract['adopt']>) =>
  storage.transaction(async (trx): Promise<Result<FoundRecord, Refusal>> => {
    const allowed = await growingProduct(trx, product_id, caller, 'token.activation.create');
    if (!allowed.ok) return allowed;
    const { id, product } = allowed.value;
    const row = await findFound(trx, caller.userId, found_id);
    // A report may have forgotten it meanwhile.
    if (!row || !(await changeFound(trx, row.id, { product_id: id, problem: null })))
      return failure(refusal('NOT_FOUND', { what: 'Found module' }));
    return success(record({ ...row, product_id: id, product, problem: null }));
  });

/** What gateways have found for their users: each sees their own. */
export const gatewaysRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { report, found, adopt });
