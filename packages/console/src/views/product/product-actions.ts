import type { ProductRecord } from '@moorage/api';
import { plural } from '../../ui/format.ts';

export type ProductAction = 'publish' | 'archive' | 'trash' | 'restore' | 'delete';

/** What can be done with a product as a whole, as the page offers it. */
export interface ProductActionRow {
  readonly action: ProductAction;
  readonly label: string;
  readonly from: readonly ProductRecord['state'][];
  readonly destructive?: boolean;
  /** It needs a product without devices. */
  readonly empty?: boolean;
  /** Managers may not. */
  readonly ownersOnly?: boolean;
  /** What it does, said before it is done. */
  readonly says: (product: ProductRecord) => string;
}

export const productActions: readonly ProductActionRow[] = [
  {
    action: 'publish',
    label: 'Publish',
    from: ['preview', 'archive'],
    says: () =>
      'Everybody on this service will see the product, and owners of devices of its platform can activate them to it. ' +
      'Which version its devices run is not changed by this: that is what publishing and tagging bundles does.',
  },
  {
    action: 'archive',
    label: 'Archive',
    from: ['preview', 'published'],
    says: ({ device_count }) =>
      'No more devices can be activated to the product, and others no longer see it. ' +
      (device_count > 0 ? `The ${plural(device_count, 'device')} of it can still be updated. ` : '') +
      'It can be published again.',
  },
  {
    action: 'trash',
    label: 'Move to trash',
    from: ['preview', 'published', 'archive'],
    empty: true,
    destructive: true,
    says: () =>
      'The product leaves every list but that of the trash. Nothing is deleted, and it can be taken out again.',
  },
  {
    action: 'restore',
    label: 'Take out of the trash',
    from: ['trash'],
    says: () => 'The product is what it was before it was put into the trash.',
  },
  {
    action: 'delete',
    label: 'Delete',
    from: ['preview', 'published', 'archive', 'trash'],
    empty: true,
    destructive: true,
    ownersOnly: true,
    says: ({ bundle_count }) =>
      `The product is gone for good, and with it ${plural(bundle_count, 'bundle')} with all their files, its assets, ` +
      'connectors and activation tokens. This cannot be undone.',
  },
];

/** Who looks at a product. */
export interface Viewer {
  readonly admin: boolean;
}

/** Whether the viewer may change a product, its bundles, assets and connectors. Reference: rules 5.1. */
export const mayChange = ({ role }: Pick<ProductRecord, 'role'>, { admin }: Viewer): boolean =>
  admin || role === 'owner' || role === 'manager';

/** Whether the viewer may read the assets of a product: its people, and owners of devices on one not in production. */
export const mayReadAssets = (
  { role, device_count, production }: Pick<ProductRecord, 'role' | 'device_count' | 'production'>,
  { admin }: Viewer,
): boolean => admin || role !== 'none' || (device_count > 0 && !production);

/** Whether the viewer may let people in, and delete the product. */
export const mayAdminister = ({ role }: Pick<ProductRecord, 'role'>, { admin }: Viewer): boolean =>
  admin || role === 'owner';

/** The actions that a product offers to a viewer now; `blocked` says why one cannot be taken yet. */
export function offeredActions(
  product: ProductRecord,
  viewer: Viewer,
): readonly (ProductActionRow & { readonly blocked: string | undefined })[] {
  return productActions
    .filter(({ from, ownersOnly }) => {
      const allowed = ownersOnly ? mayAdminister(product, viewer) : mayChange(product, viewer);
      return allowed && from.includes(product.state);
    })
    .map((row) => ({
      ...row,
      blocked:
        row.empty && product.device_count > 0
          ? `${plural(product.device_count, 'device')} ${product.device_count === 1 ? 'is' : 'are'} activated to it`
          : undefined,
    }));
}
