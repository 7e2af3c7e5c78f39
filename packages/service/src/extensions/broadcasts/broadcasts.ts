import { randomUUID } from 'node:crypto';
import {
  BroadcastKeyRecord,
  broadcastKeysLimit,
  broadcastLimitBytes,
  type broadcastsContract,
  refusal,
  resultOk,
  spellings,
} from '@moorage/api';
import { failure, success } from '@moorage/base';
import { putTelemetry } from '../../core/channel/queries.ts';
import type { ChannelDeps } from '../../core/channel/routes.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { listed, recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue, tailOf } from '../../engine/secrets.ts';
import {
  type BroadcastKeyRow,
  countKeys,
  deleteKey,
  insertKey,
  keyByHash,
  listKeys,
  touchKey,
} from './broadcast-queries.ts';

type Contract = typeof broadcastsContract;

/** A key in use writes down when at most this often, in ms. */
const touchPauseMs = 60_000;

const record = (row: BroadcastKeyRow, key = row.tail): BroadcastKeyRecord =>
  recordFrom(BroadcastKeyRecord, row, { key });

/** API-EP-POST-user-broadcasts */
async function create({ storage, clock }: ChannelDeps, call: Call<Contract['create']>) {
  const { userId } = call.caller;
  const atMs = clock.now();
  const value = newTokenValue();
  return storage.transaction(async (trx) => {
    if ((await countKeys(trx, userId)) >= broadcastKeysLimit) {
      const blanks = { what: 'The account', limit: broadcastKeysLimit, things: 'keys for broadcasts' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const row: BroadcastKeyRow = {
      id: randomUUID(),
      user_id: userId,
      title: call.body.title || 'Broadcasts',
      key_hash: hashSecret(value),
      tail: tailOf(value),
      created_at: atMs,
      last_used_at: null,
    };
    await insertKey(trx, row);
    noteMade(row.id);
    const message = `Key "${row.title}" for broadcasts made`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'broadcast.create', message });
    return success(record(row, value));
  });
}

/** API-EP-DELETE-user-broadcasts-broadcast_id */
const revoke = ({ storage, clock }: ChannelDeps, call: Call<Contract['revoke']>) =>
  storage.transaction(async (trx) => {
    const gone = await deleteKey(trx, call.caller.userId, call.params.broadcast_id);
    if (!gone) return failure(refusal('NOT_FOUND', { what: 'Key' }));
    const message = `Key "${gone.title}" for broadcasts revoked`;
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'broadcast.revoke', message });
    return success(resultOk);
  });

/** API-EP-POST-broadcasts-key */
async function receive({ storage, clock, device, live }: ChannelDeps, { params, body }: Call<Contract['receive']>) {
  const key = await keyByHash(storage.db, hashSecret(params.key));
  if (!key) return failure(refusal('NOT_FOUND', { what: 'Key' }));
  const data = JSON.stringify(body);
  if (Buffer.byteLength(data) > broadcastLimitBytes) {
    return failure(refusal('BODY_TOO_LARGE', { limitBytes: broadcastLimitBytes }));
  }
  const name = body.uuid ?? body.mac;
  if (name === undefined) {
    const detail = 'The object has neither "uuid" nor "mac"';
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['uuid', 'mac'] }));
  }
  // The object is kept as it was sent: only what is looked up is spelled as records spell it.
  const found = await device(storage.db, spellings.device(name));
  // The holder of the key learns nothing of the devices of others.
  if (found?.user_id !== key.user_id) return failure(refusal('NOT_FOUND', { what: 'Device' }));
  const atMs = clock.now();
  await putTelemetry(storage.db, found.id, atMs, data);
  if (key.last_used_at === null || key.last_used_at < atMs - touchPauseMs) await touchKey(storage.db, key.id, atMs);
  live.notify(found.id, { type: 'telemetry', data: { at: String(atMs), data: body } });
  return success(resultOk);
}

/** API-EP-GET-user-broadcasts */
const list = (deps: ChannelDeps, { caller, query }: Call<Contract['list']>) =>
  listed(listKeys(deps.storage.db, caller.userId, paging(query, '-created_at')), (row) => record(row));

/** Status broadcasts of modules by HTTP, and the keys that allow them. */
export const broadcastRoutes = (deps: ChannelDeps): Handlers<Contract> =>
  handlers(deps, { list, create, revoke, receive });
