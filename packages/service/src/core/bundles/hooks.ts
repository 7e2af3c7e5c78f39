import type { Refusal, Tag } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';

/** A bundle that is about to be archived or trashed. */
export interface LeavingBundle {
  readonly id: string;
  readonly version: string;
  readonly to: 'archived' | 'trashed';
  /** Whether the rollouts that bring it shall be aborted. */
  readonly abortsRollouts: boolean;
}

/** What extensions answer about bundles. */
export interface BundleHooks {
  /** A bundle is about to be archived or trashed; inside the transaction. The refusal where it is in use. */
  bundleLeaves(trx: Db, bundle: LeavingBundle): Promise<Refusal | undefined>;
  /** Tags of a product have moved, or were taken off; inside the transaction. */
  tagMoved(trx: Db, productId: string, tags: readonly Tag[]): Promise<unknown>;
}

/** What needs the hooks of bundles. */
export type BundleDeps = Deps & { readonly hooks: BundleHooks };
