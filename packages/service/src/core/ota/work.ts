import type { ReportedFailure } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import type { LocationColumns } from '../devices/rules.ts';
import type { OtaReads, UpdateRow } from './queries.ts';
import type { BundleRequest, Standing, UpdateCause, UpdateTrigger } from './rules.ts';

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
  readonly update_asked_at: number | null;
  readonly update_looked_at: number | null;
}

/** What a device may report of itself in a query. */
export type ReportedColumns = Partial<LocationColumns> & {
  readonly bversion?: string;
  readonly mac?: string;
  /** That it queries now, where somebody has asked it to. */
  readonly update_looked_at?: number;
};

/** What causes a change of an update: the device, a person with a bridging host, or the service when a time is up. */
export interface Actor {
  readonly cause: UpdateCause | 'service';
  readonly userId: string | null;
  readonly client: string | null;
  /** None where the service itself concludes something. */
  readonly ip: string | null;
}

/** An actor that requests updates and reports how they went. */
export type Requester = Actor & { readonly cause: UpdateCause };

/** What the slice of devices does for updates: its table is its own. */
export interface DeviceLedger {
  /** Whether some device has this address. */
  addressTaken(db: Db, mac: string): Promise<boolean>;
  /** The device as it is now; it is locked until the transaction ends. */
  lock(trx: Db, id: string): Promise<OtaDeviceRow | undefined>;
  /** The same for many; those that are not there are left out. What changes of them is written before the commit. */
  lockAll(trx: Db, ids: readonly string[]): Promise<readonly OtaDeviceRow[]>;
  /** Changes what the record shows of updates. An address that another device has is passed over. */
  change(trx: Db, id: string, change: ReportedColumns & { readonly update_id?: number }): Promise<void>;
}

/** A query, with what else the device reports of itself. */
export type UpdateRequest = BundleRequest & {
  readonly mac?: string | undefined;
  readonly location?: LocationColumns | undefined;
};

/** What rollouts do for updates: their tables are their own. */
export interface UpdateFleet {
  /** What holds or moves a device now. In a transaction its rollouts are locked, so that a pace is kept. */
  standing(db: Db, device: Pick<OtaDeviceRow, 'id' | 'product_id'>): Promise<Standing>;
  /** Begins a transaction of steps of many devices: what rollouts have of them is read at once, and written before the commit. */
  beginSteps(trx: Db, deviceIds: readonly string[]): Promise<void>;
  /** Records that a device has been offered the bundle of a rollout, or runs it already. */
  recordOffer(
    trx: Db,
    device: Pick<OtaDeviceRow, 'id' | 'product_id'>,
    rolloutId: string,
    updateId: number | null,
    isDone: boolean,
  ): Promise<void>;
  /** A device that had the bundle of a rollout reports another version, or that it does not work with this one. */
  contradicted(
    trx: Db,
    device: Pick<OtaDeviceRow, 'id' | 'product_id'>,
    rolloutId: string,
    kind: 'contradicted' | 'health',
  ): Promise<void>;
  /** An update has moved: its execution moves with it, into a failure of this kind where the device names it. */
  moved(
    trx: Db,
    update: Pick<UpdateRow, 'id' | 'device_id'> & {
      readonly trigger: UpdateTrigger;
      readonly kind?: ReportedFailure | undefined;
    },
  ): Promise<void>;
}

/** What the steps of an update need beside the transaction. */
export interface OtaWork {
  readonly reads: OtaReads;
  readonly ledger: DeviceLedger;
  readonly fleet: UpdateFleet;
  nowMs(): number;
  /** Notifies those who watch the device of an update that the transaction has made or changed, once it is committed. */
  changed(trx: Db, update: UpdateRow): void;
  /** Notifies them that it has looked for the update that it was asked to look for. */
  looked(trx: Db, deviceId: string): void;
}

/** The update whose fields the device's record shows. */
export const currentUpdate = async (
  { reads }: Pick<OtaWork, 'reads'>,
  db: Db,
  device: Pick<OtaDeviceRow, 'update_id'>,
): Promise<UpdateRow | undefined> => (device.update_id === null ? undefined : reads.updateById(db, device.update_id));
