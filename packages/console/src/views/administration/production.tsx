import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { openDialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ProductionForm } from './forms.tsx';

interface PartNumberProps {
  readonly product: ProductRecord;
  readonly onDone: () => void;
}

function PartNumberForm({ product, onDone }: PartNumberProps) {
  const update = useChange('products.update', 'products', 'bundles');
  const [text, setText] = useState(product.part_number ?? '');
  const part_number = text.trim() === '' ? null : text.trim();
  const save = async (): Promise<void> => {
    await update.mutateAsync({ params: { product_id: product.id }, body: { code: product.code, part_number } });
    notify(part_number === null ? 'The product has no part number' : `The part number is ${part_number}`);
    onDone();
  };
  return (
    <Form submit="Save the part number" disabled={part_number === product.part_number} onSubmit={save}>
      <TextInput
        label="Part number"
        description="Under which it is ordered and made; empty for none"
        maxLength={64}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </Form>
  );
}

function openPartNumber(product: ProductRecord): void {
  openDialog({ title: `Part number of ${product.title}` }, (close) => (
    <PartNumberForm product={product} onDone={close} />
  ));
}

const ProductRow = ({ product }: { readonly product: ProductRecord }) => (
  <Table.Tr>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>
      <PageLink href={`/products/${product.id}`} inherit>
        {product.title}
      </PageLink>
      <Text size="xs" c="dimmed">
        {product.product}
      </Text>
    </Table.Td>
    <Table.Td visibleFrom="sm">{product.customer ?? '—'}</Table.Td>
    <Table.Td>
      <Group gap={4} wrap="nowrap">
        {product.part_number ?? 'none'}
        {product.part_number !== null && <Copy value={product.part_number} label={`part number of ${product.title}`} />}
      </Group>
    </Table.Td>
    <Table.Td visibleFrom="sm">{formatCount(product.device_count)}</Table.Td>
    <Table.Td visibleFrom="md">{product.claimable ? 'can be claimed' : 'locked'}</Table.Td>
    <Table.Td ta="end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Change the part number of ${product.title}`}
        onClick={() => openPartNumber(product)}
      >
        Change
      </Button>
    </Table.Td>
  </Table.Tr>
);

const ProductTable = ({ products }: { readonly products: readonly ProductRecord[] }) => (
  <Table.ScrollContainer minWidth={0} type="native">
    <Table aria-label="Production products" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Product</Table.Th>
          <Table.Th visibleFrom="sm">Customer</Table.Th>
          <Table.Th>Part number</Table.Th>
          <Table.Th visibleFrom="sm">Devices</Table.Th>
          <Table.Th visibleFrom="md">Its devices</Table.Th>
          <Table.Th ta="end">Actions</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {products.map((product) => (
          <ProductRow key={product.id} product={product} />
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** Products of this list; the list of products has the others. */
const shownLimit = 50;

function openProduction(): void {
  openDialog({ title: 'New production product' }, (close) => <ProductionForm onDone={close} />);
}

/** Products that are made in numbers for a customer. */
export function ProductionProducts() {
  const query = useCall('products.list', { query: { production: true, limit: shownLimit } });
  return (
    <Card
      title="Production products"
      actions={
        <Button size="compact-sm" variant="default" onClick={openProduction}>
          New production product
        </Button>
      }
    >
      <Loaded query={query}>
        {({ value, total = value.length }) =>
          value.length === 0 ? (
            <Empty title="There is no production product yet">
              One is made from a development product whose release candidate carries a tag; its devices stay on it for
              good.
            </Empty>
          ) : (
            <>
              <ProductTable products={value} />
              {total > value.length && (
                <Text size="sm" mt="xs">
                  The newest {formatCount(value.length)} of{' '}
                  <PageLink href="/products?production=true" inherit>
                    all {formatCount(total)}
                  </PageLink>
                </Text>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
