import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';

/** What extensions answer about products. */
export interface ProductHooks {
  /** A product has been deleted by this user; inside the transaction. */
  productGone(trx: Db, productId: string, byUserId: string): Promise<void>;
}

/** What needs the hooks of products. */
export type ProductDeps = Deps & { readonly hooks: ProductHooks };
