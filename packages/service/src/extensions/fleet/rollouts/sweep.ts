import type { Storage } from '../../../engine/db/storage.ts';
import { devicesAfter, rolloutsGoingOn, straysAfter } from './due-queries.ts';
import type { Fleet } from './engine.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Devices of one transaction of a sweep. */
const portion = 500;

interface SweepParts {
  readonly storage: Pick<Storage, 'db' | 'transaction'>;
  readonly fleet: Pick<Fleet, 'reconcile'>;
  readonly lifecycle: Pick<Lifecycle, 'settle'>;
}

/**
 * Walks the devices that rollouts which go on are about, in portions, and makes of each what follows from what is so now:
 * what time changes, and what was missed for whatever reason. Returns how many moves that took.
 */
export async function sweep({ storage, fleet, lifecycle }: SweepParts): Promise<number> {
  const rollouts = await rolloutsGoingOn(storage.db);
  let moves = 0;
  const walk = async (page: (after: string) => Promise<readonly { readonly id: string }[]>) => {
    for (let after = ''; ; ) {
      const ids = (await page(after)).map(({ id }) => id);
      if (ids.length > 0) moves += await storage.transaction((_trx, work) => fleet.reconcile(work, ids));
      if (ids.length < portion) return;
      after = ids.at(-1) ?? after;
    }
  };
  for (const productId of new Set(rollouts.map(({ product_id }) => product_id))) {
    await walk((after) => devicesAfter(storage.db, productId, after, portion));
  }
  for (const { id } of rollouts) {
    await walk((after) => straysAfter(storage.db, id, after, portion));
    await storage.transaction((_trx, work) => lifecycle.settle(work, id));
  }
  return moves;
}
