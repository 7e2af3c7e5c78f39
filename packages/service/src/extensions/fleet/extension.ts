import { extensionContracts } from '@moorage/api';
import { minuteMs, repeat, success } from '@moorage/base';
import { giveTag } from '../../core/bundles/tags.ts';
import type { Core } from '../../core/core.ts';
import { deviceFor } from '../../core/devices/lookup.ts';
import { sortDevices } from '../../core/devices/many.ts';
import { logTogether } from '../../core/devices/together.ts';
import { namedBundle } from '../../core/ota/queries.ts';
import { totalSize } from '../../core/ota/rules.ts';
import { doForAll } from '../../engine/db/leases.ts';
import { workOf } from '../../engine/db/transaction.ts';
import { extension } from '../extension.ts';
import { deleteAttributes } from './attributes/queries.ts';
import { attributeKeeper, keepVersions } from './attributes/reports.ts';
import { attributesRoutes } from './attributes/routes.ts';
import { parseFilter } from './filters/parse.ts';
import { listFilter } from './filters/queries.ts';
import { RolloutTimes } from './rollouts/due.ts';
import { openFleet } from './rollouts/engine.ts';
import { wakesPerMinute } from './rollouts/hold-queries.ts';
import { holdRoutes } from './rollouts/holds.ts';
import { refuseInUse } from './rollouts/in-use.ts';
import { hasFilters, letGo } from './rollouts/queries.ts';
import { reachRoutes } from './rollouts/reach-routes.ts';
import { allowedRollout, type RolloutDeps, rolloutRoutes } from './rollouts/routes.ts';
import { sweep } from './rollouts/sweep.ts';
import { pollInterval, wantedFirst } from './rollouts/wanted.ts';
import { segmentsRoutes } from './segments/routes.ts';
import { fleetRoutes } from './shape/fleet.ts';

/** What rollouts, pins and freezes are handed of devices, bundles and updates. */
const holdDeps = (core: Core, parts: Pick<RolloutDeps, 'fleet' | 'lifecycle'>): RolloutDeps => ({
  ...core,
  ...parts,
  deviceFor,
  async publishedBundle(db, productId, bundleId) {
    const bundle = (await namedBundle(db, productId, { id: bundleId })).find(({ state }) => state === 'published');
    return bundle && { version: bundle.version, bytes: totalSize(await core.ota.filesOf(db, bundleId)) };
  },
});

/** Between two walks through the devices of rollouts, in ms. */
const sweepMs = 5 * minuteMs;

/** Attributes, labels, filters, segments, rollouts, pins and freezes. */
export const fleet = extension({
  name: 'fleet',
  contracts: extensionContracts.fleet,
  open(foundation) {
    const { storage, clock, load, log } = foundation;
    const parts = openFleet({ ...foundation, tagBundle: giveTag, stretch: (nowMs) => load.stretch(nowMs) });
    const { fleet: engine, lifecycle } = parts;
    const times = new RolloutTimes({ ...foundation, ...parts, storage: storage.background });
    return {
      hooks: {
        updateHooks: engine,
        listFilter(text) {
          const filter = parseFilter(text, 'query');
          return filter.ok ? success(listFilter(filter.value)) : filter;
        },
        wantedFirst,
        pollInterval,
        async devicesCleared(trx, ids) {
          await deleteAttributes(trx, ids);
          await engine.reset(workOf(trx), ids);
        },
        deviceLeaves: (trx, deviceId) => engine.forget(workOf(trx), deviceId),
        devicesChanged: (work, ids) => engine.reconcile(work, ids),
        devicesFollow: (work, ids) => engine.letGo(work, ids),
        attributesReported: attributeKeeper(storage, async (work, ids) => {
          if (await hasFilters(work.db)) work.touch('devices', ids);
        }),
        versionsReported: (trx, bversions) => keepVersions(trx, bversions, clock.now()),
        wakesPerMinute: (productId) => wakesPerMinute(storage.db, productId),
        bundleLeaves: (trx, bundle) => refuseInUse(workOf(trx), lifecycle, bundle),
        tagMoved: letGo,
      },
      routes(core) {
        const holds = holdDeps(core, parts);
        return {
          attributes: attributesRoutes({
            ...core,
            deviceFor,
            sortDevices: (trx, caller, selection) => sortDevices(core, trx, caller, selection),
            logTogether: (...change) => logTogether(core, ...change),
          }),
          segments: segmentsRoutes(core),
          rollouts: { ...rolloutRoutes(holds), ...holdRoutes(holds), ...reachRoutes(holds) },
          fleet: fleetRoutes({ ...core, allowedRollout }),
        };
      },
      maintenance: [{ name: 'what is due of rollouts', run: () => times.run() }],
      async start(_core, background) {
        await times.run();
        const onError = (error: unknown) =>
          log.error({ err: error }, 'The devices of rollouts were not walked through');
        const stop = repeat({ clock: background.clock, pauseMs: sweepMs, onError }, () =>
          doForAll(background, { name: 'devices of rollouts', everyMs: sweepMs, skewMs: minuteMs }, async () => {
            await sweep({ ...parts, storage: background.storage });
            return true;
          }),
        );
        return async () => {
          await stop();
          await times.close();
        };
      },
    };
  },
});
