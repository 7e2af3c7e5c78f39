import { randomUUID } from 'node:crypto';
import {
  type DoorDevice,
  type DoorTokenRecord,
  type doorsContract,
  optionalTimestamp,
  type ProductDoors,
  type Refusal,
  refusal,
  resultOk,
  type WaitingRecord,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct, growingProduct } from '../../core/access/products.ts';
import type { Action } from '../../core/access/rules.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Handler, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue, tailOf } from '../../engine/secrets.ts';
import type { DoorDeps } from './keeper.ts';
import { keyRoutes } from './keys.ts';
import {
  changeDoorDevice,
  countDoorTokens,
  type DoorTokenRow,
  deleteDoorToken,
  deleteWaiting,
  doorDeviceById,
  doorsOf,
  insertDoorDevices,
  insertDoorToken,
  listDoorTokens,
  listMessages,
  listWaiting,
  namesTaken,
  putDoors,
  someWaiting,
  updateOf,
  type WaitingRow,
} from './queries.ts';

type Contract = typeof doorsContract;

/** What the people's side of doors needs of other slices. */
export interface DoorRouteDeps extends DoorDeps {
  /** The device of a path, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
  deviceFor(
    db: Db,
    caller: Caller,
    action: Action,
    name: string,
  ): Promise<Result<{ readonly id: string; readonly product_id: string; readonly title: string }, Refusal>>;
}

const manage = 'product.fleet';
/** Who lets clients in, and with which keys, decides what the product is open to: an operator runs devices and changes no product. */
const change = 'product.change';
/** Spec: API-LIMIT-door-tokens. */
const tokensLimit = 100;

const closed: ProductDoors = {
  ddi: false,
  mender: false,
  waiting: false,
  consent: false,
  version_attribute: null,
  probation_s: null,
};
const flagOf = (value: boolean) => (value ? (1 as const) : (0 as const));

const doorsRecord = (row: NonNullable<Awaited<ReturnType<typeof doorsOf>>>): ProductDoors => ({
  ddi: row.ddi === 1,
  mender: row.mender === 1,
  waiting: row.waiting === 1,
  consent: row.consent === 1,
  version_attribute: row.version_attribute,
  probation_s: row.probation_s,
});

/** API-EP-GET-products-product_id-doors */
async function get({ storage: { db } }: DoorRouteDeps, { caller, params }: Call<Contract['get']>) {
  const product = await allowedProduct(db, params.product_id, caller, manage);
  if (!product.ok) return product;
  const row = await doorsOf(db, product.value.id);
  return success(row ? doorsRecord(row) : closed);
}

/** API-EP-PUT-products-product_id-doors */
const set = ({ storage, clock }: DoorRouteDeps, call: Call<Contract['set']>) =>
  storage.transaction(async (trx): Promise<Result<ProductDoors, Refusal>> => {
    const product = await growingProduct(trx, call.params.product_id, call.caller, change);
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    const { ddi, mender, waiting, consent = false } = call.body;
    const { version_attribute = null, probation_s = null } = call.body;
    const atMs = clock.now();
    const flags = { ddi: flagOf(ddi), mender: flagOf(mender), waiting: flagOf(waiting), consent: flagOf(consent) };
    const row = { product_id: productId, ...flags, version_attribute, probation_s, updated_at: atMs };
    await putDoors(trx, row);
    const open = Object.entries({ ddi, mender }).flatMap(([door, isOpen]) => (isOpen ? [door] : []));
    const message = `Product ${code} is open to ${open.join(' and ') || 'no update clients of other makers'}`;
    const data = doorsRecord(row);
    await writeLog(trx, { ...byCaller(call, atMs), type: 'door.open', message, productId, data });
    return success(data);
  });

const tokenRecord = (row: DoorTokenRow, token: string): DoorTokenRecord => ({
  id: row.id,
  product_id: row.product_id,
  door: row.door,
  title: row.title,
  token,
  created_at: String(row.created_at),
  last_used_at: optionalTimestamp(row.last_used_at),
});

/** API-EP-GET-products-product_id-door-tokens */
async function tokens({ storage: { db } }: DoorRouteDeps, { caller, params, query }: Call<Contract['tokens']>) {
  const product = await allowedProduct(db, params.product_id, caller, manage);
  if (!product.ok) return product;
  const { items, total } = await listDoorTokens(db, product.value.id, paging(query, '-created_at'));
  return success({ items: items.map((row) => tokenRecord(row, row.tail)), total });
}

/** API-EP-POST-products-product_id-door-tokens. The value leaves the service here and never again. */
const addToken = ({ storage, clock }: DoorRouteDeps, call: Call<Contract['addToken']>) =>
  storage.transaction(async (trx): Promise<Result<DoorTokenRecord, Refusal>> => {
    const product = await growingProduct(trx, call.params.product_id, call.caller, change);
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    if ((await countDoorTokens(trx, productId)) >= tokensLimit) {
      const blanks = { what: `Product "${code}"`, limit: tokensLimit, things: 'tokens of doors' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const value = newTokenValue();
    const atMs = clock.now();
    const row = {
      id: randomUUID(),
      product_id: productId,
      door: call.body.door,
      title: call.body.title,
      token_hash: hashSecret(value),
      tail: tailOf(value),
      user_id: call.caller.userId,
      created_at: atMs,
      last_used_at: null,
    };
    await insertDoorToken(trx, row);
    noteMade(row.id);
    const message = `Token "${row.title}" made, by which devices of product ${code} register themselves`;
    const data = { token_id: row.id, door: row.door };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'door.token', message, productId, data });
    return success(tokenRecord(row, value));
  });

/** API-EP-DELETE-products-product_id-door-tokens-token_id. It fails at once. Spec: API-DOOR-token. */
const removeToken = ({ storage, clock }: DoorRouteDeps, call: Call<Contract['removeToken']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const { product_id, token_id: tokenId } = call.params;
    const product = await allowedProduct(trx, product_id, call.caller, change);
    if (!product.ok) return product;
    const { id: productId, product: code } = product.value;
    if (!(await deleteDoorToken(trx, productId, tokenId))) return failure(refusal('NOT_FOUND', { what: 'Token' }));
    const message = `Token revoked, by which devices of product ${code} registered themselves`;
    const data = { token_id: tokenId };
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'door.token', message, productId, data });
    return success(resultOk);
  });

/** API-EP-POST-products-product_id-door-devices */
const addDevice = (deps: DoorRouteDeps, call: Call<Contract['addDevice']>) =>
  transactionOverConflicts(deps.storage, async (trx): Promise<Result<DoorDevice, Refusal>> => {
    const { caller, params, ip, body } = call;
    const product = await growingProduct(trx, params.product_id, caller, manage);
    if (!product.ok) return product;
    const { id: productId } = product.value;
    const { door, name } = body;
    if ((await namesTaken(trx, productId, [body])).size > 0) {
      return failure(refusal('DUPLICATE', { what: 'Device', value: name }));
    }
    const by = { userId: caller.userId, client: caller.client, ip };
    const registration = { productId, fallbackOwner: caller.userId, titles: [name], by };
    const made = await deps.registerDevices(trx, registration);
    if (!made.ok) return made;
    const [deviceId = ''] = made.value;
    noteMade(deviceId);
    const value = newTokenValue();
    const row = { device_id: deviceId, product_id: productId, door, name, created_at: deps.clock.now() };
    await insertDoorDevices(trx, [{ ...row, token_hash: hashSecret(value), reported_at: null }]);
    return success({ device_id: deviceId, door, name, token: value });
  });

/** Digits by which people compare what two sides show. */
const proofDigits = 16;

const waitingRecord = (row: WaitingRow): WaitingRecord => ({
  id: row.id,
  door: row.door,
  name: row.name,
  proof: row.secret_hash.slice(0, proofDigits),
  ip: row.ip,
  first_at: String(row.first_at),
  last_at: String(row.last_at),
});

/** API-EP-GET-products-product_id-waiting */
async function waiting(
  { storage: { db, expressions } }: DoorRouteDeps,
  { caller, params, query }: Call<Contract['waiting']>,
) {
  const product = await allowedProduct(db, params.product_id, caller, manage);
  if (!product.ok) return product;
  const { items, total } = await listWaiting(db, expressions, product.value.id, query);
  return success({ items: items.map(waitingRecord), total });
}

/** Devices let in by one transaction. */
const acceptedAtOnce = 500;

type Refused = { id: string; code: string; message: string };
type Decision = { done: number; refused: Refused[] };

/** Makes devices of some that wait. A name that a device of the product has already is refused: it may be a stranger. */
async function accept(
  deps: DoorRouteDeps,
  trx: Db,
  productId: string,
  rows: readonly WaitingRow[],
  by: { readonly userId: string; readonly client: string | null; readonly ip: string },
): Promise<Result<{ readonly accepted: readonly WaitingRow[]; readonly refused: Refused[] }, Refusal>> {
  const taken = new Set(await namesTaken(trx, productId, rows));
  const accepted: WaitingRow[] = [];
  const refused: Refused[] = [];
  for (const row of rows) {
    const key = `${row.door} ${row.name}`;
    const { code, message } = refusal('DUPLICATE', { what: 'Device', value: row.name });
    if (taken.has(key)) refused.push({ id: row.id, code, message });
    else accepted.push(row);
    taken.add(key);
  }
  const titles = accepted.map(({ name }) => name);
  const made =
    titles.length > 0
      ? await deps.registerDevices(trx, { productId, fallbackOwner: by.userId, titles, by })
      : success([]);
  if (!made.ok) return made;
  const atMs = deps.clock.now();
  await insertDoorDevices(
    trx,
    accepted.map(({ door, name, secret_hash }, at) => ({
      // Safe: there is an id for each title.
      device_id: made.value[at] as string,
      product_id: productId,
      door,
      name,
      token_hash: secret_hash,
      reported_at: null,
      created_at: atMs,
    })),
  );
  return success({ accepted, refused });
}

/** API-EP-POST-products-product_id-waiting. Many are let in in parts, so that others can write between them. */
async function decide(deps: DoorRouteDeps, call: Call<Contract['decide']>) {
  const { caller, params, body, ip } = call;
  const by = { userId: caller.userId, client: caller.client, ip };
  const decision: Decision = { done: 0, refused: [] };
  for (let after = ''; ; ) {
    const part = await transactionOverConflicts(
      deps.storage,
      async (trx): Promise<Result<string | undefined, Refusal>> => {
        const product = await (body.accept ? growingProduct : allowedProduct)(trx, params.product_id, caller, manage);
        if (!product.ok) return product;
        const { id: productId, product: code } = product.value;
        const rows = await someWaiting(trx, productId, { ids: body.ids, after, limit: acceptedAtOnce });
        if (rows.length === 0) return success(undefined);
        const taken = body.accept
          ? await accept(deps, trx, productId, rows, by)
          : success({ accepted: rows, refused: [] });
        if (!taken.ok) return taken;
        const { accepted, refused } = taken.value;
        if (accepted.length > 0) {
          await deleteWaiting(
            trx,
            accepted.map(({ id }) => id),
          );
          const doing = body.accept ? 'let in' : 'sent away';
          const message = `${accepted.length} waiting ${accepted.length === 1 ? 'device' : 'devices'} of product ${code} ${doing}`;
          const data = { names: accepted.map(({ name }) => name).slice(0, 20), accept: body.accept };
          await writeLog(trx, { ...byCaller(call, deps.clock.now()), type: 'door.decide', message, productId, data });
        }
        decision.done += accepted.length;
        decision.refused.push(...refused);
        return success(rows.at(-1)?.id);
      },
    );
    if (!part.ok) return decision.done > 0 ? success(decision) : part;
    if (part.value === undefined) return success(decision);
    after = part.value;
  }
}

/** API-EP-POST-devices-device_id-door-token */
async function renewDevice(deps: DoorRouteDeps, call: Call<Contract['renewDevice']>) {
  const value = newTokenValue();
  const done = await changeToken(deps, call, hashSecret(value));
  return done.ok ? success({ ...done.value, token: value }) : done;
}

/** API-EP-DELETE-devices-device_id-door-token */
async function revokeDevice(deps: DoorRouteDeps, call: Call<Contract['revokeDevice']>) {
  const done = await changeToken(deps, call, null);
  return done.ok ? success(resultOk) : done;
}

type DeviceCall = Parameters<Handler<Contract['revokeDevice']>>[0];

/** Puts another token in the place of a device's own. Spec: API-DOOR-token. */
const changeToken = (
  { storage, clock, deviceFor }: DoorRouteDeps,
  call: Pick<DeviceCall, 'caller' | 'params' | 'ip'>,
  hash: string | null,
): Promise<Result<Omit<DoorDevice, 'token'>, Refusal>> =>
  storage.transaction(async (trx) => {
    const device = await deviceFor(trx, call.caller, 'device.certificates', call.params.device_id);
    if (!device.ok) return device;
    const { id: deviceId, product_id: productId, title } = device.value;
    const behind = await doorDeviceById(trx, deviceId);
    if (!behind) return failure(refusal('NOT_FOUND', { what: 'Door of the device' }));
    await changeDoorDevice(trx, deviceId, { token_hash: hash });
    const message = `Token of device "${title}" ${hash === null ? 'revoked' : 'replaced'}`;
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'door.token', message, productId, deviceId });
    return success({ device_id: deviceId, door: behind.door, name: behind.name });
  });

/** API-EP-GET-devices-device_id-updates-update_id-messages */
async function messages(
  { storage: { db }, deviceFor }: DoorRouteDeps,
  { caller, params, query }: Call<Contract['messages']>,
) {
  const device = await deviceFor(db, caller, 'device.private', params.device_id);
  if (!device.ok) return device;
  const update = await updateOf(db, params.update_id);
  if (update?.device_id !== device.value.id) return failure(refusal('NOT_FOUND', { what: 'Update' }));
  const { items, total } = await listMessages(db, update.id, query);
  return success({ items: items.map(({ at, ...line }) => ({ at: String(at), ...line })), total });
}

/** Update clients of other makers, as people manage them. */
export const doorsRoutes = (deps: DoorRouteDeps): Handlers<Contract> => ({
  ...handlers(deps, {
    get,
    set,
    tokens,
    addToken,
    removeToken,
    addDevice,
    waiting,
    decide,
    renewDevice,
    revokeDevice,
    messages,
  }),
  ...keyRoutes(deps),
});
