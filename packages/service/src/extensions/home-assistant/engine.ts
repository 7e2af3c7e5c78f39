import { dayMs, repeat } from '@moorage/base';
import { claimWork, endWork, holdsWork, type WorkLease } from '../../engine/db/leases.ts';
import { Bridge, type BridgeDeps, bridgeKey } from './bridge.ts';
import type { Place } from './payloads.ts';
import {
  type AnnouncedPlace,
  type AnnouncingConnector,
  announcedPlaces,
  announcingConnectors,
  dropPlace,
  leavePlace,
  notePlace,
  whereOf,
} from './queries.ts';
import { Retraction } from './retraction.ts';

/** Between two looks at connectors and devices, in ms. */
const lookMs = 2_000;

/** What a broker that does not come back has of us is let be after so long. */
const retractionMs = 7 * dayMs;

const workName = 'home-assistant';

interface AnnouncerDeps extends BridgeDeps {
  readonly lease: WorkLease;
}

/** What is taken back at brokers, of which some are away. */
function openRetractions({
  storage,
  clock,
  log,
  outbound,
}: Pick<AnnouncerDeps, 'storage' | 'clock' | 'log' | 'outbound'>) {
  const retractions = new Map<string, Retraction>();
  return {
    /** Takes back what is announced at a place. True when nothing is left there. */
    async retract(place: AnnouncedPlace): Promise<boolean> {
      const nowMs = clock.now();
      if (place.left_at === null) await leavePlace(storage.db, place.id, nowMs);
      const isLate = place.left_at !== null && nowMs - place.left_at > retractionMs;
      if (isLate) {
        await dropPlace(storage.db, place.id);
        log.warn({ connector: place.connector_id }, 'A broker that is away keeps devices that were announced there');
      }
      const retraction = retractions.get(place.id) ?? new Retraction(outbound, place);
      retractions.set(place.id, retraction);
      if (!isLate && !(await retraction.look(storage.db))) return false;
      retractions.delete(place.id);
      await retraction.close();
      return true;
    },
    async close(): Promise<void> {
      await Promise.all([...retractions.values()].map((one) => one.close()));
      retractions.clear();
    },
  };
}

/**
 * Announces the devices of connectors that want it. Of several processes one does it for as long as it lives; another
 * goes on then, and knows from the records what has been announced. The returned function ends it.
 */
export function startAnnouncing(deps: AnnouncerDeps): () => Promise<void> {
  const { storage, clock, lease, log } = deps;
  const bridges = new Map<string, { readonly key: string; readonly bridge: Bridge }>();
  let fence: number | undefined;
  const retractions = openRetractions(deps);

  const stopAll = async (): Promise<void> => {
    await Promise.all([...bridges.values()].map(({ bridge }) => bridge.stop()));
    bridges.clear();
    await retractions.close();
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

  /** Announces for these connectors, where nothing is left to be taken back at their brokers: topics may be the same. */
  async function announce(wanted: readonly AnnouncingConnector[], places: readonly AnnouncedPlace[]): Promise<void> {
    const isWanted = (place: AnnouncedPlace) =>
      wanted.some((one) => one.id === place.connector_id && JSON.stringify(whereOf(one).place) === place.place);
    const leaving = new Set<string>();
    for (const place of places) {
      if (isWanted(place) || (await retractions.retract(place))) continue;
      const { url }: Place = JSON.parse(place.place);
      leaving.add(url);
    }
    for (const connector of wanted) {
      if (bridges.has(connector.id) || leaving.has(whereOf(connector).place.url)) continue;
      const { id } = await notePlace(storage.db, connector, places);
      bridges.set(connector.id, { key: bridgeKey(connector), bridge: new Bridge(deps, connector, id) });
    }
  }

  async function look(isOver: () => boolean): Promise<void> {
    const wanted = await announcingConnectors(storage.db);
    const places = await announcedPlaces(storage.db);
    if (wanted.length === 0 && places.length === 0 && bridges.size === 0) return;
    if (!(await isOurs())) return;
    const keys = new Map(wanted.map((connector) => [connector.id, bridgeKey(connector)]));
    for (const [id, { key, bridge }] of bridges) {
      if (keys.get(id) === key) continue;
      bridges.delete(id);
      await bridge.stop();
    }
    if (isOver()) return;
    await announce(wanted, places);
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
