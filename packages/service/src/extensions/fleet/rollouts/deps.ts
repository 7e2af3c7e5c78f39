import type { ReportedFailure } from '@moorage/api';
import type { UpdateTrigger } from '../../../core/ota/rules.ts';
import type { Db } from '../../../engine/db/storage.ts';
import type { Deps } from '../../../engine/http/types.ts';

/** An update that has moved, and what moved it. */
export interface MovedUpdate {
  readonly id: number;
  readonly device_id: string;
  readonly trigger: UpdateTrigger;
  /** In which way it has failed, where the device says it. */
  readonly kind?: ReportedFailure | undefined;
}

export type FleetDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & {
  /** Gives the bundle of a rollout that is over its tag. */
  readonly tagBundle: (trx: Db, bundleId: string, tag: 'alpha' | 'beta' | 'release', atMs: number) => Promise<void>;
  /** By how much slower the load of the process makes waking, at a time in epoch ms; 1 for not at all. */
  readonly stretch: (nowMs: number) => number;
};
