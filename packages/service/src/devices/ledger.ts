import type { Db, Expressions } from '../db/storage.ts';
import { addressTaken, changeDevice, type DetailedDevice, lockDevice } from './queries.ts';
import type { LocationColumns } from './rules.ts';

/** What updates over the air may do to a device: read it in their transaction, and change what its record shows. */
export interface UpdateLedger {
  /** Whether some device has this address. */
  addressTaken(db: Db, mac: string): Promise<boolean>;
  lock(trx: Db, id: string): Promise<DetailedDevice | undefined>;
  change(
    trx: Db,
    id: string,
    change: Partial<LocationColumns> & {
      readonly update_id?: number;
      readonly bversion?: string;
      readonly mac?: string;
    },
  ): Promise<void>;
}

/** The ledger over the records of devices. */
export const updateLedger = (expressions: Expressions): UpdateLedger => ({
  addressTaken,
  lock: (trx, id) => lockDevice(trx, expressions, id),
  async change(trx, id, { mac, ...change }) {
    // An address is told by the device itself: one that another device has proves nothing.
    const isFree = mac !== undefined && !(await addressTaken(trx, mac));
    const all = { ...change, ...(isFree && { mac }) };
    if (Object.keys(all).length > 0) await changeDevice(trx, id, all);
  },
});
