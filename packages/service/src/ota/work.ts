import type { Db } from '../db/storage.ts';
import type { LocationColumns } from '../devices/rules.ts';
import type { OtaReads, UpdateRow } from './queries.ts';
import type { OtaAsk } from './rules.ts';

/** The columns of a device that updates read. */
export interface OtaDeviceRow extends LocationColumns {
  readonly id: string;
  readonly state: 'enabled' | 'active' | 'disabled';
  readonly tag: 'alpha' | 'beta' | 'release' | null;
  readonly product_id: string;
  readonly user_id: string | null;
  readonly update_id: number | null;
  readonly bversion: string | null;
  readonly mac: string | null;
}

/** What a device may tell of itself in a query. */
export type ToldColumns = Partial<LocationColumns> & { readonly bversion?: string; readonly mac?: string };

/** Who speaks for the device: itself, or a person with a bridging host. */
export interface Speaker {
  readonly from: 'device' | 'bridge';
  readonly userId: string | null;
  readonly client: string | null;
  /** None where the service itself concludes something. */
  readonly ip: string | null;
}

/** What the slice of devices does for updates: its table is its own. */
export interface DeviceLedger {
  /** Whether some device has this address. */
  addressTaken(db: Db, mac: string): Promise<boolean>;
  /** The device as it is now; nobody else changes it until the transaction ends. */
  lock(trx: Db, id: string): Promise<OtaDeviceRow | undefined>;
  /** Changes what the record shows of updates. An address that another device has is passed over. */
  change(trx: Db, id: string, change: ToldColumns & { readonly update_id?: number }): Promise<void>;
}

/** A query, with what else the device tells of itself. */
export type Asked = OtaAsk & { readonly mac?: string | undefined; readonly location?: LocationColumns | undefined };

/** What the steps of an update need beside the transaction. */
export interface OtaWork {
  readonly reads: OtaReads;
  readonly ledger: DeviceLedger;
  nowMs(): number;
  /** Updates that this transaction has made or changed: those who watch the device are told of them afterwards. */
  readonly changed: Set<number>;
}

/** The update whose fields the device's record shows. */
export const currentUpdate = async (
  { reads }: Pick<OtaWork, 'reads'>,
  db: Db,
  device: Pick<OtaDeviceRow, 'update_id'>,
): Promise<UpdateRow | undefined> => (device.update_id === null ? undefined : reads.updateById(db, device.update_id));
