import { Button, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/organisation.ts';
import { bindText } from '../../ui/bind-text.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

const kinds = [
  { value: 'user', label: t.person },
  { value: 'customer', label: t.customer },
];

interface MoveProps {
  readonly product: ProductRecord;
  readonly onDone: () => void;
}

function Move({ product, onDone }: MoveProps) {
  // A production product stays with customers.
  const [kind, setKind] = useState(product.production ? 'customer' : 'user');
  const [user, setUser] = useState('');
  const [customerId, setCustomerId] = useState<string | null>(null);
  const customers = useCall('customers.list', { query: { limit: 500 } }, { enabled: kind === 'customer' });
  const isUser = kind === 'user';
  const move = async (): Promise<void> => {
    const body = isUser ? { user: user.trim() } : { customer_id: customerId ?? '' };
    const { value } = await call('productPeople.move', { params: { product_id: product.id }, body });
    await renew('products', 'productPeople', 'customers');
    notify(t.productIsMoved(value.customer ?? value.user ?? ''));
    onDone();
  };
  return (
    <Form submit={t.moveProduct} disabled={isUser ? user.trim() === '' : customerId === null} onSubmit={move}>
      <Text size="sm">{t.codesStay}</Text>
      {!product.production && <SegmentedControl aria-label={t.newOwner} data={kinds} value={kind} onChange={setKind} />}
      {isUser ? (
        <TextInput label={t.userNameOrEmail} data-autofocus required maxLength={254} {...bindText(user, setUser)} />
      ) : (
        <Select
          label={t.whichCustomer}
          data={(customers.data?.value ?? []).map(({ id, title }) => ({ value: id, label: title }))}
          searchable
          nothingFoundMessage={t.noSuchCustomer}
          required
          value={customerId}
          onChange={setCustomerId}
        />
      )}
    </Form>
  );
}

/** Moves a product to whichever owner an administrator names. */
export const MoveAnywhere = ({ product }: { readonly product: ProductRecord }) => (
  <Button
    variant="default"
    onClick={() => openDialog({ title: t.moveProduct }, (close) => <Move product={product} onDone={close} />)}
  >
    {t.moveProduct} …
  </Button>
);
