import type { Db, Expressions } from '../db/storage.ts';
import { addressTaken, changeDevice, lockDevice, lockDevices } from './queries.ts';
import type { LocationColumns } from './rules.ts';

type ReportedChange = Partial<LocationColumns> & {
  readonly update_id?: number;
  readonly bversion?: string;
  readonly mac?: string;
  readonly update_looked_at?: number;
};

/**
 * What updates over the air may do to a device: read it in their transaction, and change what its record shows.
 *
 * @param versionChanged called in the transaction that records another version text
 */
export const updateLedger = (
  expressions: Expressions,
  versionChanged: (trx: Db, deviceId: string, bversion: string) => Promise<void>,
) => ({
  addressTaken,
  lock: (trx: Db, id: string) => lockDevice(trx, expressions, id),
  lockAll: (trx: Db, ids: readonly string[]) => lockDevices(trx, expressions, ids, ''),
  async change(trx: Db, id: string, { mac, ...change }: ReportedChange): Promise<void> {
    // The device reports its address itself: one that another device has proves nothing.
    const isFree = mac !== undefined && !(await addressTaken(trx, mac));
    const all = { ...change, ...(isFree && { mac, mac_reported: 1 as const }) };
    if (Object.keys(all).length > 0) await changeDevice(trx, id, all);
    if (change.bversion !== undefined) await versionChanged(trx, id, change.bversion);
  },
});
