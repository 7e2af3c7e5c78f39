import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';

/** What extensions answer about bundles. */
export interface BundleHooks {
  /** A tag of a product has moved from one bundle to another; inside the transaction. */
  tagMoved(trx: Db, productId: string): Promise<void>;
}

/** What needs the hooks of bundles. */
export type BundleDeps = Deps & { readonly hooks: BundleHooks };
