import type { ProductRecord } from '@moorage/api';

/** What a tab is given. */
export interface TabProps {
  readonly product: ProductRecord;
  /** Whether the viewer may change the product, its bundles, assets and connectors. */
  readonly mayChange: boolean;
  /** Whether the viewer may let people in. */
  readonly mayAdminister: boolean;
}
