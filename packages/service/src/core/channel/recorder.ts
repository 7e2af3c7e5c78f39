import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { groupCalls } from '../../engine/db/groups.ts';
import { type LogEntry, writeLogs } from '../../engine/db/logs.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { type ChannelDeviceRow, devicesOf, putChannels, removeChannels } from './queries.ts';

interface Change {
  readonly device: { readonly id: string; readonly title: string; readonly product_id: string };
  /** Tells this channel from others of the device. */
  readonly session: string;
  /** Epoch ms. */
  readonly atMs: number;
}

interface Opened extends Change {
  readonly kind: 'opened';
  /** Where the device is connected to. */
  readonly processId: string;
  /** Of the device. */
  readonly address: string;
}

/** A channel that has opened or closed. */
export type ChannelChange = Opened | (Change & { readonly kind: 'closed' });

/** The device of a change; nothing when none was recorded: it is gone, or another channel has taken the place. */
type Recorded = ChannelDeviceRow | undefined;

function logOf(change: ChannelChange): LogEntry {
  const { device, atMs } = change;
  const online = change.kind === 'opened' ? 'online' : 'offline';
  return {
    type: `device.${online}`,
    message: `Device ${device.title} is ${online}`,
    atMs,
    deviceId: device.id,
    productId: device.product_id,
    ip: change.kind === 'opened' ? change.address : null,
  };
}

/** Splits changes so that no part has two of one device, and those of a device stay in their order. */
function partsOf(changes: readonly ChannelChange[]): ChannelChange[][] {
  const parts: ChannelChange[][] = [];
  const counts = new Map<string, number>();
  for (const change of changes) {
    const count = counts.get(change.device.id) ?? 0;
    counts.set(change.device.id, count + 1);
    const part = parts[count] ?? [];
    part.push(change);
    parts[count] = part;
  }
  return parts;
}

/** Records changes of different devices, those of `known` devices only; returns what has come of it. */
async function recordPart(
  trx: Db,
  part: readonly ChannelChange[],
  known: ReadonlyMap<string, ChannelDeviceRow>,
): Promise<readonly ChannelChange[]> {
  const opened = part.filter((change) => change.kind === 'opened').filter(({ device }) => known.has(device.id));
  const closed = part.filter(({ kind }) => kind === 'closed');
  const rows = opened.map(({ device, processId, session, address, atMs }) => ({
    device_id: device.id,
    process_id: processId,
    session,
    address,
    connected_at: atMs,
  }));
  await putChannels(trx, rows);
  const removed = await removeChannels(
    trx,
    closed.map(({ device, session }) => ({ device_id: device.id, session })),
  );
  const done = [...opened, ...closed.filter(({ session }) => removed.has(session))];
  await writeLogs(trx, done.map(logOf));
  return done;
}

/** Records changes in one transaction, each with its line in the log. */
export const recordChannels = (storage: Storage, changes: readonly ChannelChange[]): Promise<readonly Recorded[]> =>
  transactionOverConflicts(storage, async (trx) => {
    const known = await devicesOf(
      trx,
      changes.map(({ device }) => device.id),
    );
    const done = new Set<ChannelChange>();
    for (const part of partsOf(changes)) for (const change of await recordPart(trx, part, known)) done.add(change);
    return changes.map((change) => (done.has(change) ? known.get(change.device.id) : undefined));
  });

/**
 * Records channels that open and close, those that come together in one transaction: a fleet that reconnects is
 * thousands of them within seconds. The returned function resolves to the device when that is durable.
 */
export const channelRecorder = (storage: Storage): ((change: ChannelChange) => Promise<Recorded>) =>
  groupCalls((changes) => recordChannels(storage, changes));
