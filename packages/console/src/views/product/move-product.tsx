import { Button } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/organisation.ts';
import { confirm } from '../../ui/confirm.tsx';
import { notify } from '../../ui/notify.ts';

/** Moves a product between its owner and the customer that they are an owner of; nothing for everybody else. */
export function MoveProduct({ product }: { readonly product: ProductRecord }) {
  const user = useCall('users.get', {}).data?.value;
  const customerId = user?.customer_role === 'owner' ? user.customer_id : null;
  const customer = useCall(
    'customers.get',
    { params: { customer_id: customerId ?? '' } },
    { enabled: customerId !== null },
  );
  if (!user || customerId === null || !customer.data) return null;
  const isBack = product.customer_id === customerId;
  if ((!isBack && product.user_id !== user.id) || (isBack && product.production)) return null;
  const owner = isBack ? t.yourself : customer.data.value.title;
  const ask = (): void =>
    confirm({
      title: t.moveTo(owner),
      body: t.codesStay,
      action: t.moveProduct,
      async run() {
        const body = isBack ? { user: user.username } : { customer_id: customerId };
        await call('productPeople.move', { params: { product_id: product.id }, body });
        await renew('products', 'productPeople', 'customers');
        notify(t.productIsMoved(isBack ? user.username : owner));
      },
    });
  return (
    <Button variant="default" onClick={ask}>
      {t.moveTo(owner)}
    </Button>
  );
}
