import type { Refusal, UpdateState } from '@moorage/api';
import type { Result } from '@moorage/base';
import type { ActionReport } from '../../core/ota/actions.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

export type DoorUpdate = Row<'updates'>;

/** Who acts: the device by itself. */
export interface BySelf {
  readonly cause: 'device';
  readonly userId: null;
  readonly client: null;
  readonly ip: string;
}

export const bySelf = (ip: string): BySelf => ({ cause: 'device', userId: null, client: null, ip });

/** What there is for a device. */
export interface DoorOffer {
  readonly kind: 'none' | 'update';
  readonly nextPollS: number | undefined;
  readonly install: { readonly force: 'soft' | 'forced'; readonly waitMs: number } | undefined;
}

/** What a device shall do now. */
export interface DoorStanding {
  /** The update on offer, while it goes on. */
  readonly update: DoorUpdate | undefined;
  /** The newest update of the device, however it stands. */
  readonly last: DoorUpdate | undefined;
  readonly offer: DoorOffer;
}

/** What doors need of updates over the air. */
export interface DoorUpdates {
  request(row: DeviceRow, request: { bversion?: string; once: true }, by: BySelf): Promise<Result<DoorOffer, Refusal>>;
  current(db: Db, row: Pick<DeviceRow, 'update_id'>): Promise<DoorUpdate | undefined>;
  reportAction(
    row: DeviceRow,
    report: ActionReport,
    by: BySelf,
  ): Promise<Result<{ readonly state: UpdateState }, Refusal>>;
  supersede(trx: Db, row: Pick<DeviceRow, 'update_id'>): Promise<void>;
}
