import { alike, groupCalls, padded } from '../../engine/db/groups.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { beforeCommit } from '../../engine/db/transaction.ts';
import { changeDevice, changeDevices, lockDevice, lockDevices, takenAddresses } from './queries.ts';
import type { LocationColumns } from './rules.ts';

type ReportedChange = Partial<LocationColumns> & {
  readonly update_id?: number;
  readonly bversion?: string;
  readonly mac?: string;
  readonly update_looked_at?: number;
};

/** Lets the records of devices show these updates of theirs. */
const showUpdates = (trx: Db, updateIds: readonly number[]) =>
  trx
    .updateTable('devices')
    .from('updates as u')
    .set((to) => ({ update_id: to.ref('u.id') }))
    .whereRef('u.device_id', '=', 'devices.id')
    .where('u.id', 'in', updateIds)
    .execute();

/** What transactions that have locked many devices have not written of them yet. */
const behindIn = new WeakMap<Db, Map<string, Omit<ReportedChange, 'mac'>>>();

/**
 * What updates over the air may do to a device: read it in their transaction, and change what its record shows.
 *
 * @param versionsChanged called in the transaction that records other version texts, by device
 */
export function updateLedger(
  { db: outside, expressions }: Pick<Storage, 'db' | 'expressions'>,
  versionsChanged: (trx: Db, bversions: ReadonlyMap<string, string>) => Promise<void>,
) {
  async function write(trx: Db, changes: ReadonlyMap<string, Omit<ReportedChange, 'mac'>>): Promise<void> {
    const reported = [...changes].map(([id, { update_id: _shown, ...change }]) => [id, change] as const);
    for (const [change, ids] of alike(reported)) {
      if (Object.keys(change).length > 0) await changeDevices(trx, padded(ids), change);
    }
    const begun = [...changes.values()].flatMap(({ update_id }) => update_id ?? []);
    if (begun.length > 0) await showUpdates(trx, padded(begun));
    const bversions = reported.flatMap(([id, { bversion }]) =>
      bversion === undefined ? [] : [[id, bversion] as const],
    );
    if (bversions.length > 0) await versionsChanged(trx, new Map(bversions));
  }
  /** Who asks in the same turn, or while a read is under way, shares a statement. */
  const isTakenOutside = groupCalls(async (macs: readonly string[]) => {
    const taken = await takenAddresses(outside, [...new Set(macs)]);
    return macs.map((mac) => taken.has(mac));
  });
  /** Whether some device has this address. */
  const addressTaken = async (db: Db, mac: string): Promise<boolean> =>
    db.isTransaction ? (await takenAddresses(db, [mac])).has(mac) : isTakenOutside(mac);
  return {
    addressTaken,
    lock: (trx: Db, id: string) => lockDevice(trx, expressions, id),
    lockAll(trx: Db, ids: readonly string[]) {
      const behind = new Map<string, Omit<ReportedChange, 'mac'>>();
      behindIn.set(trx, behind);
      beforeCommit(trx, () => write(trx, behind));
      return lockDevices(trx, expressions, padded(ids), '');
    },
    async change(trx: Db, id: string, { mac, ...change }: ReportedChange): Promise<void> {
      // The device reports its address itself: one that another device has proves nothing.
      const isFree = mac !== undefined && !(await addressTaken(trx, mac));
      if (isFree) await changeDevice(trx, id, { mac, mac_reported: 1 });
      const behind = behindIn.get(trx);
      if (behind) behind.set(id, { ...behind.get(id), ...change });
      else await write(trx, new Map([[id, change]]));
    },
  };
}
