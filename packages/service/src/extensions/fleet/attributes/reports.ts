import type { ReportedAttributes } from '@moorage/api';
import { transactionOverConflicts } from '../../../engine/db/conflicts.ts';
import { groupWriter } from '../../../engine/db/groups.ts';
import type { Db, Storage } from '../../../engine/db/storage.ts';
import { workOf } from '../../../engine/db/transaction.ts';
import type { Work } from '../../../engine/db/work.ts';
import { attributesOf, dropAttributes, existingDevices, putAttributes } from './queries.ts';
import { changesOf, versionOf } from './rules.ts';

interface Report {
  readonly deviceId: string;
  readonly reported: ReportedAttributes;
  /** Epoch ms. */
  readonly atMs: number;
}

/** Keeps reports in their order: what is known already writes nothing. Returns the devices that report something new. */
async function keep(trx: Db, reports: readonly Report[]): Promise<readonly string[]> {
  const merged = new Map<string, Report>();
  for (const report of reports) {
    const earlier = merged.get(report.deviceId)?.reported;
    merged.set(report.deviceId, { ...report, reported: { ...earlier, ...report.reported } });
  }
  const known = new Map<string, Map<string, string>>();
  for (const { device_id, name, value } of await attributesOf(trx, [...merged.keys()])) {
    const values = known.get(device_id) ?? new Map<string, string>();
    known.set(device_id, values.set(name, value));
  }
  // A device may have been deleted meanwhile: the reports of the others are kept all the same.
  const unknown = [...merged.keys()].filter((id) => !known.has(id));
  const there = unknown.length > 0 ? await existingDevices(trx, unknown) : new Set();
  const changes = [...merged.values()]
    .filter(({ deviceId }) => known.has(deviceId) || there.has(deviceId))
    .map(({ deviceId, reported, atMs }) => ({
      deviceId,
      ...changesOf(known.get(deviceId) ?? new Map(), reported, atMs),
    }));
  for (const { deviceId, drop } of changes) if (drop.length > 0) await dropAttributes(trx, deviceId, drop);
  await putAttributes(
    trx,
    changes.flatMap(({ deviceId, put }) => put.map((attribute) => ({ device_id: deviceId, ...attribute }))),
  );
  return changes.flatMap(({ deviceId, put, drop }) => (put.length + drop.length > 0 ? [deviceId] : []));
}

/** Keeps what a device reports of itself; resolves when it is durable. */
export type KeepAttributes = (deviceId: string, reported: ReportedAttributes, atMs: number) => Promise<void>;

/**
 * Reports that come together are committed together.
 *
 * @param changed called in the transaction, with the devices that report something new
 */
export function attributeKeeper(
  storage: Pick<Storage, 'transaction'>,
  changed: (work: Work, deviceIds: readonly string[]) => Promise<unknown>,
): KeepAttributes {
  const write = groupWriter<Report>((group) =>
    transactionOverConflicts(storage, async (trx) => {
      const ids = await keep(trx, group);
      if (ids.length > 0) await changed(workOf(trx), ids);
    }),
  );
  return (deviceId, reported, atMs) => write({ deviceId, reported, atMs });
}

/** Keeps the versions in version texts of devices as attributes, in the transaction that records the texts. */
export async function keepVersions(trx: Db, bversions: ReadonlyMap<string, string>, atMs: number): Promise<void> {
  const reports = [...bversions].map(([deviceId, text]) => ({
    deviceId,
    reported: { version: versionOf(text) ?? null },
    atMs,
  }));
  workOf(trx).touch('devices', await keep(trx, reports));
}
