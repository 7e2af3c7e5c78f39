import type { Refusal, ReportedAttributes } from '@moorage/api';
import type { Result } from '@moorage/base';
import type { Expression, ExpressionBuilder, RawBuilder, SqlBool } from 'kysely';
import type { Schema } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import type { Work } from '../../engine/db/work.ts';

/** A row of `devices`, in a condition. */
export type DeviceWhere = ExpressionBuilder<Schema, 'devices'>;

/**
 * From where a filter is looked at, for databases that walk as they are told: from an index of the values, which is short
 * where few devices fit, or from device to device, where a page is full soon because many do.
 */
export type Walk = 'values' | 'devices';

/** A filter as lists use it. */
export interface ListFilter {
  /** The condition over `devices`. */
  readonly fits: (where: DeviceWhere, walk: Walk) => Expression<SqlBool>;
  /** How many devices fit, up to a limit, where an index of values knows it. */
  readonly countValues: ((db: Db, limit?: number) => Promise<number>) | undefined;
}

/** What a filter is asked with. */
export interface FilterQuestion {
  readonly expressions: Expressions;
  /** Epoch ms. */
  readonly nowMs: number;
  /** The devices whose private fields may be looked at; all of them where it is missing. */
  readonly seesPrivate: ((where: DeviceWhere) => Expression<SqlBool>) | undefined;
}

/** What extensions answer about devices. */
export interface DeviceHooks {
  /** A list of devices is asked for by a condition: what it means, or where it is wrong. */
  listFilter(text: string): Result<(question: FilterQuestion) => ListFilter, Refusal>;
  /** The id of the bundle that a row of `devices` should run at a time, epoch ms, before what its tag says, an
   * empty text for none; SQL with this time in one place. */
  readonly wantedFirst?: ((nowMs: number) => RawBuilder<string | null>) | undefined;
  /** Seconds between two queries of a row of `devices`, where something else than the usual time is set; SQL. */
  readonly pollInterval?: RawBuilder<number | null> | undefined;
  /** Devices are taken back or about to be deleted; inside the transaction, before their rows change. */
  devicesCleared(trx: Db, deviceIds: readonly string[]): Promise<void>;
  /** A device is about to be deleted; inside the transaction, before `devicesCleared`. */
  deviceLeaves(trx: Db, deviceId: string): Promise<void>;
  /** Devices were added or changed, or something that is kept of them; inside the transaction, before its commit. */
  devicesChanged(work: Work, deviceIds: readonly string[]): Promise<unknown>;
  /** Devices follow another tag, or are on another product; inside the transaction, before its commit. */
  devicesFollow(work: Work, deviceIds: readonly string[]): Promise<unknown>;
  /** A device reports attributes of itself, outside of a transaction; resolves when they are durable. */
  attributesReported(deviceId: string, reported: ReportedAttributes, atMs: number): Promise<void>;
  /** Devices report other version texts, by device; inside the transaction that records them. */
  versionsReported(trx: Db, bversions: ReadonlyMap<string, string>): Promise<void>;
}
