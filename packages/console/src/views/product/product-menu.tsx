import { Button, Menu } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { IconChevronDown } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { outdate, renew } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { t } from '../../texts/product.ts';
import { confirm } from '../../ui/confirm.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { offeredActions, type ProductAction } from './product-actions.ts';

/** What each action calls. */
const runs: Readonly<Record<ProductAction, (product: ProductRecord) => Promise<unknown>>> = {
  publish: ({ id, code }) =>
    call('products.update', { params: { product_id: id }, body: { code, state: 'published' } }),
  archive: ({ id, code }) => call('products.update', { params: { product_id: id }, body: { code, state: 'archive' } }),
  trash: ({ id }) => call('products.setState', { params: { product_id: id }, body: { state: 'trash' } }),
  restore: ({ id }) => call('products.setState', { params: { product_id: id }, body: { state: 'active' } }),
  delete: ({ id }) => call('products.remove', { params: { product_id: id } }),
};

/** What can be done with a product as a whole; each item asks first, and says what it will do. */
export function ProductMenu({ product }: { readonly product: ProductRecord }) {
  const admin = useIsAdmin();
  const [, navigate] = useLocation();
  const offered = offeredActions(product, { admin });
  /** To the list, which is asked for again; what is gone is not. */
  const leave = async (): Promise<void> => {
    await outdate('products', 'overview');
    navigate('/products', { replace: true });
  };
  if (offered.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
          {t.changeState}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ action, label, says, blocked, destructive = false }) => (
          <Menu.Item
            key={action}
            disabled={blocked !== undefined}
            onClick={() =>
              confirm({
                title: `${label}: "${product.title}"?`,
                body: says(product),
                action: label,
                destructive,
                async run() {
                  await runs[action](product);
                  notify(t.done[action](product.product));
                  if (action === 'delete') await leave();
                  else await renew('products', 'overview');
                },
              })
            }
          >
            {label}
            {blocked !== undefined && <Muted small>{t.notNow(blocked)}</Muted>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
