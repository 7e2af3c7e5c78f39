import { repeat } from '@moorage/base';
import { claimWork, endWork, holdsWork, type WorkLease } from '../../engine/db/leases.ts';
import { Bridge, type BridgeDeps, bridgeKey } from './bridge.ts';
import { announcingConnectors } from './queries.ts';

/** Between two looks at connectors and devices, in ms. */
const lookMs = 2_000;

const workName = 'home-assistant';

interface AnnouncerDeps extends BridgeDeps {
  readonly lease: WorkLease;
}

/**
 * Announces the devices of connectors that want it. Of several processes one does it for as long as it lives; another
 * goes on then, and knows from the records what has been announced. The returned function ends it.
 */
export function startAnnouncing(deps: AnnouncerDeps): () => Promise<void> {
  const { storage, clock, lease, log } = deps;
  const bridges = new Map<string, { readonly key: string; readonly bridge: Bridge }>();
  let fence: number | undefined;

  const stopAll = async (): Promise<void> => {
    await Promise.all([...bridges.values()].map(({ bridge }) => bridge.stop()));
    bridges.clear();
  };

  /** Whether this process is the one that announces. */
  async function isOurs(): Promise<boolean> {
    if (fence !== undefined && (await holdsWork(storage.db, workName, fence))) return true;
    if (fence !== undefined) await stopAll();
    await lease.signOn();
    const nowMs = clock.now();
    fence = await claimWork(storage.db, { name: workName, holder: lease.id, doneBeforeMs: nowMs, aheadMs: nowMs });
    return fence !== undefined;
  }

  async function look(isOver: () => boolean): Promise<void> {
    const wanted = await announcingConnectors(storage.db);
    if (wanted.length === 0 && bridges.size === 0) return;
    if (!(await isOurs())) return;
    const keys = new Map(wanted.map((connector) => [connector.id, bridgeKey(connector)]));
    for (const [id, { key, bridge }] of bridges) {
      if (keys.get(id) === key) continue;
      bridges.delete(id);
      await bridge.leave();
    }
    for (const connector of wanted) {
      if (isOver()) return;
      const key = bridgeKey(connector);
      const { bridge } = bridges.get(connector.id) ?? { bridge: new Bridge(deps, connector) };
      bridges.set(connector.id, { key, bridge });
    }
    await Promise.all([...bridges.values()].map(({ bridge }) => bridge.look()));
  }

  const onError = (error: unknown) => log.error({ err: error }, 'Connectors could not announce their devices');
  const stopLooking = repeat({ clock, pauseMs: lookMs, onError }, look);
  return async () => {
    await stopLooking();
    await stopAll();
    if (fence !== undefined) await endWork(storage.db, workName, fence);
  };
}
