import type { ProductRecord } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';

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
    label: t.publish,
    from: ['preview', 'archive'],
    says: () => `${t.everybodyOnThisServiceWill} ${t.whichVersionItsDevicesRun}`,
  },
  {
    action: 'archive',
    label: t.archive,
    from: ['preview', 'published'],
    says: ({ device_count }) =>
      `${t.noMoreDevicesCanBe} ` +
      (device_count > 0 ? `${t.ofItCanStillBe(plural(device_count, nouns.device))} ` : '') +
      t.itCanBePublishedAgain,
  },
  {
    action: 'trash',
    label: t.moveToTrash,
    from: ['preview', 'published', 'archive'],
    empty: true,
    destructive: true,
    says: () => t.productLeavesEveryListBut,
  },
  {
    action: 'restore',
    label: t.takeOutOfTrash,
    from: ['trash'],
    says: () => t.productIsWhatItWas,
  },
  {
    action: 'delete',
    label: common.delete,
    from: ['preview', 'published', 'archive', 'trash'],
    empty: true,
    destructive: true,
    ownersOnly: true,
    says: ({ bundle_count }) =>
      `${t.productIsGoneForGood(plural(bundle_count, nouns.bundle))} ${t.connectorsAndActivationTokensThis}`,
  },
];

/** Who looks at a product. */
export interface Viewer {
  readonly admin: boolean;
}

/** Whether the viewer may change a product, its bundles, assets and connectors. Reference: rules 5.1. */
export const mayChange = ({ role }: Pick<ProductRecord, 'role'>, { admin }: Viewer): boolean =>
  admin || role === 'owner' || role === 'manager';

/** Whether the viewer may run its devices and rollouts, and sees what happens to it. Reference: rules 5.1. */
export const mayOperate = (product: Pick<ProductRecord, 'role'>, viewer: Viewer): boolean =>
  product.role === 'operator' || mayChange(product, viewer);

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
          ? t.activatedToIt(product.device_count, plural(product.device_count, nouns.device))
          : undefined,
    }));
}
