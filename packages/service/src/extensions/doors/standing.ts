import { ignoreFailure } from '@moorage/base';
import { isOpen } from '../../core/ota/rules.ts';
import type { Deps, DoorCaller } from '../../engine/http/types.ts';
import { bySelf, type DoorStanding, type DoorUpdates } from './door-updates.ts';
import type { Probation } from './probation.ts';
import { pollIntervalS } from './queries.ts';

interface StandingDeps extends Pick<Deps, 'storage'> {
  readonly updates: DoorUpdates;
  readonly probation: Pick<Probation, 'isOver'>;
}

/** Says what a device behind a door shall do. Selection decides anew at each request. */
export const doorStanding =
  ({ updates, storage, probation }: StandingDeps) =>
  async (row: DoorCaller['row'], ip: string): Promise<DoorStanding> => {
    const seen = await updates.current(storage.db, row);
    const isProved = seen !== undefined && (await probation.isOver(row.id, seen));
    // An update that has ended meanwhile needs no confirmation.
    if (isProved) ignoreFailure(await updates.reportAction(row, { updateId: seen.id, trigger: 'confirm' }, bySelf(ip)));
    const before = isProved ? await updates.current(storage.db, row) : seen;
    // What has been written is not known to run before the client says so, after its restart.
    const runs = before?.state === 'installed' ? undefined : isProved ? before?.to_bversion : row.bversion;
    const asked = await updates.request(row, { once: true, ...(runs && { bversion: runs }) }, bySelf(ip));
    if (!asked.ok) {
      // There is nothing for it any more, so what it had begun is over.
      if (before && isOpen(before.state)) await storage.transaction((trx) => updates.supersede(trx, row));
      const nextPollS = await pollIntervalS(storage.db, row.product_id);
      return { update: undefined, last: before, offer: { kind: 'none', nextPollS, install: undefined } };
    }
    const now = (await storage.hot.deviceById(row.id)) ?? row;
    const current = await updates.current(storage.db, now);
    const isGoing = asked.value.kind === 'update' && current !== undefined && isOpen(current.state);
    return { update: isGoing ? current : undefined, last: current, offer: asked.value };
  };
