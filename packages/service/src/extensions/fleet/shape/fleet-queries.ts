import { fleetVersionsLimit, type StandingState } from '@moorage/api';
import { visibleDevices } from '../../../core/access/devices.ts';
import type { Viewer } from '../../../core/access/viewer.ts';
import { deviceHealth } from '../../../core/devices/health.ts';
import { standingState, targetBundle } from '../../../core/devices/standing.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { pollInterval, wantedFirst } from '../rollouts/wanted.ts';

const fleetOf = (db: Db, viewer: Viewer, productId: string | undefined) =>
  visibleDevices(db, viewer).$if(productId !== undefined, (rows) =>
    rows.where('devices.product_id', '=', productId ?? ''),
  );

/** Devices by their state, and by how they stand and are heard from at a time, epoch ms. */
export const fleetCounts = (db: Db, viewer: Viewer, productId: string | undefined, nowMs: number) =>
  db
    .selectFrom(
      fleetOf(db, viewer, productId)
        .select(['devices.state', standingState(wantedFirst(nowMs)).as('standing')])
        .select(deviceHealth({ pollInterval }, nowMs).as('health'))
        .as('rows'),
    )
    .select(['state', 'standing', 'health'])
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy(['state', 'standing', 'health'])
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
