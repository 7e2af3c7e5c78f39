import type { Db } from '../../../engine/db/storage.ts';
import type { Deps } from '../../../engine/http/types.ts';

export type FleetDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & {
  /** Gives the bundle of a rollout that is over its tag. */
  readonly tagBundle: (trx: Db, bundleId: string, tag: 'alpha' | 'beta' | 'release', atMs: number) => Promise<void>;
  /** By how much slower the load of the process makes waking, at a time in epoch ms; 1 for not at all. */
  readonly stretch: (nowMs: number) => number;
};
