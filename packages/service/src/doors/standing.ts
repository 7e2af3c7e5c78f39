import { bySelf, type DoorStanding, type DoorUpdates } from '../core/door-updates.ts';
import type { Deps, DoorCaller } from '../core/types.ts';
import { isOpen } from '../ota/rules.ts';
import { pollIntervalS } from './queries.ts';

/** Says what a device behind a door shall do. Selection decides anew at each request. */
export const doorStanding =
  ({ updates, storage }: Pick<Deps, 'storage'> & { readonly updates: DoorUpdates }) =>
  async (row: DoorCaller['row'], ip: string): Promise<DoorStanding> => {
    const before = await updates.current(storage.db, row);
    // What has been written is not known to run before the client says so, after its restart.
    const runs = before?.state === 'installed' ? undefined : row.bversion;
    const asked = await updates.request(row, { once: true, ...(runs && { bversion: runs }) }, bySelf(ip));
    if (!asked.ok) {
      // There is nothing for it any more, so what it had begun is over.
      if (before && isOpen(before.state)) await storage.transaction((trx) => updates.supersede(trx, row));
      const nextPollS = await pollIntervalS(storage.db, row.product_id);
      return { update: undefined, offer: { kind: 'none', nextPollS, install: undefined } };
    }
    const now = (await storage.hot.deviceById(row.id)) ?? row;
    const current = await updates.current(storage.db, now);
    const isGoing = asked.value.kind === 'update' && current !== undefined && isOpen(current.state);
    return { update: isGoing ? current : undefined, offer: asked.value };
  };
