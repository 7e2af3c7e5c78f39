import { fleetVersionsLimit, type StandingState } from '@moorage/api';
import { sql } from 'kysely';
import { visibleDevices } from '../../../core/access/devices.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { standingState, targetBundle } from '../../../core/devices/standing.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { wantedFirst } from '../rollouts/wanted.ts';

const fleetOf = (db: Db, viewer: Viewer, productId: string | undefined) =>
  visibleDevices(db, viewer).$if(productId !== undefined, (rows) =>
    rows.where('devices.product_id', '=', productId ?? ''),
  );

/** Devices by their state, by how they stand at a time, epoch ms, and by whether they are on the message channel. */
export const fleetCounts = (db: Db, viewer: Viewer, productId: string | undefined, nowMs: number) =>
  db
    .selectFrom(
      fleetOf(db, viewer, productId)
        .leftJoin('channels', 'channels.device_id', 'devices.id')
        .select(['devices.state', standingState(wantedFirst(nowMs)).as('standing')])
        .select(sql<number>`case when channels.device_id is null then 0 else 1 end`.as('online'))
        .as('rows'),
    )
    .select(['state', 'standing', 'online'])
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy(['state', 'standing', 'online'])
    .execute();

/** Bundles listed as what devices of a product should run and do not. */
const listedTargets = 50;

/** Devices of a product that do not run what they should, by that bundle and how they stand, newest bundle first. */
export const fleetTargets = (db: Db, viewer: Viewer, productId: string, nowMs: number) =>
  db
    .selectFrom(
      fleetOf(db, viewer, productId)
        .select([standingState(wantedFirst(nowMs)).as('standing'), targetBundle(wantedFirst(nowMs)).as('target_id')])
        .as('rows'),
    )
    .innerJoin('bundles', 'bundles.id', 'rows.target_id')
    .select(['bundles.id', 'bundles.version'])
    .select((eb) => {
      const of = (state: StandingState) => eb.fn.countAll<number>().filterWhere('standing', '=', state);
      return [of('waiting').as('waiting'), of('updating').as('updating'), of('failed').as('failed')];
    })
    .where('standing', 'in', ['waiting', 'updating', 'failed'])
    .groupBy(['bundles.id', 'bundles.version', 'bundles.version_key'])
    .orderBy('bundles.version_key', 'desc')
    .limit(listedTargets)
    .execute();

/** Devices by product and by the version text that they have reported, the most frequent first. */
export const fleetVersions = (db: Db, viewer: Viewer, productId: string | undefined) =>
  fleetOf(db, viewer, productId)
    .select(['devices.product_id', 'products.product', 'devices.bversion'])
    .select((eb) => eb.fn.countAll<number>().as('devices'))
    .groupBy(['devices.product_id', 'products.product', 'devices.bversion'])
    .orderBy('devices', 'desc')
    .orderBy('products.product')
    .orderBy('devices.bversion')
    .limit(fleetVersionsLimit)
    .execute();
