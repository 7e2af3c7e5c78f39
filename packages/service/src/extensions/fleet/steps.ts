import type { Db } from '../../engine/db/storage.ts';

/** Keeps of each rollout the version of its bundle, which it outlives. */
export const keepBundleVersions = (db: Db): Promise<unknown> =>
  db
    .updateTable('rollouts')
    .set((rollout) => ({
      bundle_version: rollout.selectFrom('bundles').select('version').whereRef('bundles.id', '=', 'rollouts.bundle_id'),
    }))
    .execute();
