import type { ReportedAttributes } from '@moorage/api';
import { transactionOverConflicts } from '../../../engine/db/conflicts.ts';
import { groupWriter } from '../../../engine/db/groups.ts';
import type { Db, Storage } from '../../../engine/db/storage.ts';
import { attributesOf, dropAttributes, existingDevices, putAttributes } from './queries.ts';
import { changesOf, versionOf } from './rules.ts';

interface Report {
  readonly deviceId: string;
  readonly reported: ReportedAttributes;
  /** Epoch ms. */
  readonly atMs: number;
}

/** Keeps reports in their order: what is known already writes nothing. */
async function keep(trx: Db, reports: readonly Report[]): Promise<void> {
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
}

/** Keeps what a device reports of itself; resolves when it is durable. */
export type KeepAttributes = (deviceId: string, reported: ReportedAttributes, atMs: number) => Promise<void>;

/** Reports that come together are committed together. */
export function attributeKeeper(storage: Pick<Storage, 'reporting'>): KeepAttributes {
  const write = groupWriter<Report>((group) => {
    const ids = group.map(({ deviceId }) => deviceId);
    const transaction: Storage['transaction'] = (work) => storage.reporting(ids, work);
    return transactionOverConflicts({ transaction }, (trx) => keep(trx, group));
  });
  return (deviceId, reported, atMs) => write({ deviceId, reported, atMs });
}

/** Keeps the versions in version texts of devices as attributes, in the transaction that records the texts. */
export const keepVersions = (trx: Db, bversions: ReadonlyMap<string, string>, atMs: number): Promise<void> =>
  keep(
    trx,
    [...bversions].map(([deviceId, text]) => ({ deviceId, reported: { version: versionOf(text) ?? null }, atMs })),
  );
