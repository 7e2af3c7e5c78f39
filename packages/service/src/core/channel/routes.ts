import { timingSafeEqual } from 'node:crypto';
import {
  type channelContract,
  type ManyResult,
  manyCommandsOutput,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { CommandFailure, LiveEvent } from '../../engine/bus/topics.ts';
import { byCaller, type LogEntry, writeLog, writeLogs } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import type { Action } from '../access/rules.ts';
import { commandText } from './command-text.ts';
import type { ChannelHub } from './hub.ts';
import { channelOf, nodesOf, telemetryOf } from './queries.ts';

type Contract = typeof channelContract;

interface OwnedDevice {
  readonly id: string;
  readonly product_id: string;
  readonly title: string;
}

/** A connector as those who send through it need it. */
export interface SendingConnector {
  readonly productId: string;
  readonly code: string;
  /** What the third party shows; none when the connector has none. */
  readonly secret: string | undefined;
  /** Refusals of a user: NOT_FOUND, FORBIDDEN. */
  readonly refuseUser: (caller: Caller) => Promise<Refusal | undefined>;
}

export interface ChannelDeps extends Pick<Deps, 'storage' | 'clock'> {
  readonly hub: ChannelHub;
  readonly deviceFor: (db: Db, caller: Caller, action: Action, name: string) => Promise<Result<OwnedDevice, Refusal>>;
  /** Those of many devices that the caller may do this to, and why not the others. */
  readonly sortDevices: (
    caller: Caller,
    selection: { readonly action: Action; readonly ids: readonly string[] },
  ) => Promise<{
    readonly allowed: readonly (OwnedDevice & { readonly user_id: string | null })[];
    readonly refused: ManyResult['refused'];
  }>;
  readonly connector: (db: Db, id: string) => Promise<SendingConnector | undefined>;
  /** The user behind a bearer header. */
  readonly userOf: (authorization: string, ip: string) => Promise<Caller | undefined>;
  /** A device by any of its names. */
  readonly device: (db: Db, name: string) => Promise<(OwnedDevice & { readonly user_id: string | null }) | undefined>;
  /** Tells those who watch a device. */
  readonly live: { notify(deviceId: string, event: LiveEvent): void };
}

const defaultTimeoutMs = 30_000;
/** When a bus that is away is tried again by clients, in seconds. */
const retryAfterS = 5;

const apart = (): Refusal => ({ ...refusal('NODES_APART', { retryAfterS }), retryAfterS });

function refusalOf(failed: CommandFailure, timeoutMs = defaultTimeoutMs): Refusal {
  if (failed.reason === 'offline') return refusal('DEVICE_OFFLINE');
  if (failed.reason === 'silent') return refusal('DEVICE_SILENT', { timeoutMs });
  if (failed.reason === 'apart') return apart();
  return refusal('DEVICE_REFUSED', { detail: failed.detail });
}

/** API-EP-POST-devices-device_id-command */
async function command({ storage, clock, hub, deviceFor }: ChannelDeps, call: Call<Contract['command']>) {
  const { caller, params, body } = call;
  const found = await deviceFor(storage.db, caller, 'device.command', params.device_id);
  if (!found.ok) return found;
  const { id, title, product_id } = found.value;
  const timeoutMs = body.timeout_ms ?? defaultTimeoutMs;
  const outcome = await hub.command(id, body.command, timeoutMs);
  const text = commandText(body.command);
  await writeLog(storage.db, {
    ...byCaller(call, clock.now()),
    type: 'device.command',
    message: `Command sent to device ${title}: ${text}`,
    deviceId: id,
    productId: product_id,
    data: {
      command: text,
      ...(outcome.ok ? { code: outcome.value.code } : { failed: outcome.error.reason }),
    },
  });
  return outcome.ok ? outcome : failure(refusalOf(outcome.error, timeoutMs));
}

/** API-EP-POST-devices-command. One row of the log for the devices of a product and an owner. */
async function commandMany({ storage, clock, hub, sortDevices }: ChannelDeps, call: Call<Contract['commandMany']>) {
  const { device_ids: ids, command: line, timeout_ms: timeoutMs = defaultTimeoutMs } = call.body;
  const { allowed, refused } = await sortDevices(call.caller, { action: 'device.command', ids });
  const done: { device_id: string; code: number; data: string }[] = [];
  await Promise.all(
    allowed.map(async ({ id }) => {
      const outcome = await hub.command(id, line, timeoutMs);
      if (outcome.ok) {
        const { code, data } = outcome.value;
        done.push({ device_id: id, code, data: data.slice(0, manyCommandsOutput) });
      } else {
        const { code, message } = refusalOf(outcome.error, timeoutMs);
        refused.push({ device_id: id, code, message });
      }
    }),
  );
  const text = commandText(line);
  const codes = new Map(done.map(({ device_id, code }) => [device_id, code]));
  const groups = Map.groupBy(allowed, ({ product_id, user_id }) => `${product_id} ${user_id}`);
  const entries = [...groups.values()].map((group): LogEntry => {
    const [first] = group;
    return {
      ...byCaller(call, clock.now()),
      type: 'device.command',
      message: `Command sent to ${group.length === 1 ? `device ${first?.title}` : `${group.length} devices`}: ${text}`,
      productId: first?.product_id ?? null,
      deviceId: group.length === 1 ? (first?.id ?? null) : null,
      ...(first?.user_id && { concernedId: first.user_id }),
      data: { command: text, devices: group.map(({ id }) => ({ id, code: codes.get(id) ?? null })) },
    };
  });
  await writeLogs(storage.db, entries);
  return success({ done, refused });
}

const noFrame = ({ detail }: { readonly detail: string }): Refusal =>
  refusal('INVALID_REQUEST', { detail: `The action cannot be sent: ${detail}` }, { source: 'body', keys: ['action'] });

/** Both hashed first: the same length, and no time that depends on where they differ. */
const isSecret = (shown: string, wanted: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(shown)), Buffer.from(hashSecret(wanted)));

/** API-EP-POST-connectors-connector_id-messages */
async function send(
  { storage, clock, hub, connector, userOf, device }: ChannelDeps,
  { headers, params, body, ip }: Call<Contract['send']>,
) {
  const found = await connector(storage.db, params.connector_id);
  const secret = headers['x-connector-secret'];
  const bearer = headers.authorization;
  const user = typeof bearer === 'string' ? await userOf(bearer, ip) : undefined;
  const byParty = typeof secret === 'string' && found?.secret !== undefined && isSecret(secret, found.secret);
  if (!user && !byParty) return failure(refusal('UNAUTHENTICATED'));
  if (!found) return failure(refusal('NOT_FOUND', { what: 'Connector' }));
  const refused = byParty || !user ? undefined : await found.refuseUser(user);
  if (refused) return failure(refused);
  const { device_id: name, ...action } = body;
  const target = await device(storage.db, name);
  if (target?.product_id !== found.productId) return failure(refusal('NOT_FOUND', { what: 'Device' }));
  const sent = await hub.send(target.id, action);
  if (!sent.ok) return failure(sent.error.reason === 'refused' ? noFrame(sent.error) : refusalOf(sent.error));
  await writeLog(storage.db, {
    type: 'device.command',
    message: `Action ${action.action} sent to device ${target.title} through connector ${found.code}`,
    atMs: clock.now(),
    deviceId: target.id,
    productId: found.productId,
    userId: user?.userId ?? null,
    ip,
    data: { connector_id: params.connector_id, action: action.action },
  });
  return success(resultOk);
}

/** API-EP-GET-devices-device_id-channel */
async function status(deps: ChannelDeps, { caller, params }: Call<Contract['status']>) {
  const { db } = deps.storage;
  const device = await deps.deviceFor(db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const { id } = device.value;
  const seesPrivate = (await deps.deviceFor(db, caller, 'device.private', id)).ok;
  const [channel, telemetry, nodes] = await Promise.all([channelOf(db, id), telemetryOf(db, id), nodesOf(db, id)]);
  return success({
    online: channel !== undefined,
    since: channel ? String(channel.connected_at) : null,
    // As in the device's record.
    address: (seesPrivate && channel?.address) || null,
    telemetry: seesPrivate && telemetry ? { at: String(telemetry.at), data: JSON.parse(telemetry.data) } : null,
    nodes: seesPrivate ? nodes : [],
  });
}

/** Commands to devices, what they tell of themselves, and actions of third parties. */
export const channelRoutes = (deps: ChannelDeps): Handlers<Contract> =>
  handlers(deps, { command, commandMany, status, send });
