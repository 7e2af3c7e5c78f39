import { extensionContracts } from '@moorage/api';
import { resourcesOfBundle } from '../../core/bundles/queries.ts';
import { extension } from '../extension.ts';
import { shapeRecord } from '../fleet/shape/fleet.ts';
import { Rehearsals, rehearsalRoutes } from './rehearsals.ts';
import type { Rehearser } from './rehearser.ts';

declare module '../extension.ts' {
  interface Brought {
    /** None where the process has none: then nothing is rehearsed. */
    readonly rehearser?: Rehearser | undefined;
  }
}

/** Rollouts tried on twins before they start; a rehearsal that runs ends with the service. */
export const rehearsals = extension({
  name: 'rehearsals',
  contracts: extensionContracts.rehearsals,
  open({ rehearser }) {
    let running: Rehearsals | undefined;
    return {
      routes(core) {
        const { lease } = core.channel.hub;
        const parts = { ...core, rehearser, lease, shapeOf: shapeRecord, resourcesOf: resourcesOfBundle };
        running = new Rehearsals(parts);
        return { rehearsals: rehearsalRoutes(parts, running) };
      },
      close: async () => running?.close(),
    };
  },
});
