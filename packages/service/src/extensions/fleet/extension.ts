import { extensionContracts } from '@moorage/api';
import { success } from '@moorage/base';
import { giveTag } from '../../core/bundles/tags.ts';
import type { Core } from '../../core/core.ts';
import { deviceFor } from '../../core/devices/lookup.ts';
import { sortDevices } from '../../core/devices/many.ts';
import { logTogether } from '../../core/devices/together.ts';
import { namedBundle } from '../../core/ota/queries.ts';
import { totalSize } from '../../core/ota/rules.ts';
import { workOf } from '../../engine/db/transaction.ts';
import { extension } from '../extension.ts';
import { deleteAttributes } from './attributes/queries.ts';
import { attributeKeeper, keepVersions } from './attributes/reports.ts';
import { attributesRoutes } from './attributes/routes.ts';
import { parseFilter } from './filters/parse.ts';
import { listFilter } from './filters/queries.ts';
import { RolloutTimes } from './rollouts/due.ts';
import { Fleet } from './rollouts/engine.ts';
import { wakesPerMinute } from './rollouts/hold-queries.ts';
import { holdRoutes } from './rollouts/holds.ts';
import { releaseEnded } from './rollouts/queries.ts';
import { allowedRollout, type RolloutDeps, rolloutRoutes } from './rollouts/routes.ts';
import { wantedFirst } from './rollouts/wanted.ts';
import { segmentsRoutes } from './segments/routes.ts';
import { fleetRoutes } from './shape/fleet.ts';

/** What rollouts, pins and freezes are handed of devices, bundles and updates. */
const holdDeps = (core: Core, fleet: Fleet): RolloutDeps => ({
  ...core,
  fleet,
  deviceFor,
  async publishedBundle(db, productId, bundleId) {
    const bundle = (await namedBundle(db, productId, { id: bundleId })).find(({ state }) => state === 'published');
    return bundle && { version: bundle.version, bytes: totalSize(await core.ota.filesOf(db, bundleId)) };
  },
});

/** Attributes, labels, filters, segments, rollouts, pins and freezes. */
export const fleet = extension({
  name: 'fleet',
  contracts: extensionContracts.fleet,
  open(foundation) {
    const { storage, clock, load } = foundation;
    const engine = new Fleet({
      ...foundation,
      tagBundle: giveTag,
      stretch: (nowMs) => load.stretch(nowMs),
    });
    const times = new RolloutTimes({ ...foundation, storage: storage.background, fleet: engine });
    return {
      hooks: {
        updateHooks: engine,
        listFilter(text) {
          const filter = parseFilter(text, 'query');
          return filter.ok ? success(listFilter(filter.value)) : filter;
        },
        wantedFirst,
        devicesCleared: deleteAttributes,
        deviceLeaves: (trx, deviceId) => engine.forget(workOf(trx), deviceId),
        deviceBlocked: (trx, deviceId) => engine.skip(workOf(trx), deviceId, 'blocked'),
        attributesReported: attributeKeeper(storage),
        versionsReported: (trx, bversions) => keepVersions(trx, bversions, clock.now()),
        wakesPerMinute: (productId) => wakesPerMinute(storage.db, productId),
        async tagMoved(trx, productId) {
          await releaseEnded(trx, productId);
        },
      },
      routes(core) {
        const holds = holdDeps(core, engine);
        return {
          attributes: attributesRoutes({
            ...core,
            deviceFor,
            sortDevices: (trx, caller, selection) => sortDevices(core, trx, caller, selection),
            logTogether: (...change) => logTogether(core, ...change),
          }),
          segments: segmentsRoutes(core),
          rollouts: { ...rolloutRoutes(holds), ...holdRoutes(holds) },
          fleet: fleetRoutes({ ...core, allowedRollout }),
        };
      },
      maintenance: [{ name: 'what is due of rollouts', run: () => times.run() }],
      async start() {
        await times.run();
        return () => times.close();
      },
    };
  },
});
