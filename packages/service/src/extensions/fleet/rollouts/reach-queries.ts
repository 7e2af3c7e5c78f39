import type { Db } from '../../../engine/db/storage.ts';

/** The devices of a product as a reach looks at them, at a time, epoch ms. */
export const reachedDevices = (db: Db, productId: string, nowMs: number) =>
  db
    .selectFrom('devices as d')
    .leftJoin('pins as p', (join) =>
      join.onRef('p.device_id', '=', 'd.id').on((on) => on.or([on('p.until', 'is', null), on('p.until', '>', nowMs)])),
    )
    .leftJoin('attributes as a', (join) => join.onRef('a.device_id', '=', 'd.id').on('a.name', '=', 'free_flash'))
    .leftJoin('channels as c', 'c.device_id', 'd.id')
    .select(['d.id', 'd.state', 'd.tag', 'd.bversion', 'd.platform_id', 'd.last_seen_at', 'd.contact_ms'])
    .select(['a.number as free_flash', 'p.bundle_id as pinned', 'c.device_id as online'])
    .where('d.product_id', '=', productId)
    .execute();

/** What may decide what the devices of a product get. */
export const decidingRollouts = (db: Db, productId: string) =>
  db
    .selectFrom('executions as e')
    .innerJoin('rollouts as r', 'r.id', 'e.rollout_id')
    .select(['e.device_id', 'e.bundle_id as brings', 'e.stage as own_stage', 'e.state as is'])
    .select(['r.id', 'r.state', 'r.stage', 'r.bundle_id', 'r.priority', 'r.started_at'])
    .where('r.product_id', '=', productId)
    .where('r.holds', '=', 1)
    .where('e.in_force', '=', 1)
    .execute();
