import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { formatCount } from '../../texts/format.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
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
    notify(part_number === null ? t.productHasNoPartNumber : t.partNumberIs(part_number));
    onDone();
  };
  return (
    <Form submit={t.savePartNumber} disabled={part_number === product.part_number} onSubmit={save}>
      <TextInput
        label={common.partNumber}
        description={t.underWhichItIsOrderedAnd}
        maxLength={64}
        data-autofocus
        {...bindText(text, setText)}
      />
    </Form>
  );
}

function openPartNumber(product: ProductRecord): void {
  openDialog({ title: t.partNumberOf(product.title) }, (close) => <PartNumberForm product={product} onDone={close} />);
}

const ProductRow = ({ product }: { readonly product: ProductRecord }) => (
  <Table.Tr>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>
      <PageLink href={`/products/${product.id}`} inherit>
        {product.title}
      </PageLink>
      <Muted small>{product.product}</Muted>
    </Table.Td>
    <Table.Td visibleFrom="sm">{product.customer ?? '—'}</Table.Td>
    <Table.Td>
      <Group gap={4} wrap="nowrap">
        {product.part_number ?? t.noPartNumber}
        {product.part_number !== null && (
          <Copy value={product.part_number} label={t.partNumberOfTitle(product.title)} />
        )}
      </Group>
    </Table.Td>
    <Table.Td visibleFrom="sm">{formatCount(product.device_count)}</Table.Td>
    <Table.Td visibleFrom="md">{product.claimable ? t.canBeClaimed : t.locked}</Table.Td>
    <Table.Td ta="end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t.changePartNumberOf(product.title)}
        onClick={() => openPartNumber(product)}
      >
        {t.change}
      </Button>
    </Table.Td>
  </Table.Tr>
);

const ProductTable = ({ products }: { readonly products: readonly ProductRecord[] }) => (
  <SmallTable
    label={t.productionProducts}
    fits
    columns={[
      common.product,
      { title: t.customer, from: 'sm' },
      common.partNumber,
      { title: common.devices, from: 'sm' },
      { title: t.itsDevices, from: 'md' },
      { title: common.actions, end: true },
    ]}
    verticalSpacing="xs"
  >
    {products.map((product) => (
      <ProductRow key={product.id} product={product} />
    ))}
  </SmallTable>
);

/** Products of this list; the list of products has the others. */
const shownLimit = 50;

function openProduction(): void {
  openDialog({ title: t.newProductionProduct }, (close) => <ProductionForm onDone={close} />);
}

/** Products that are made in numbers for a customer. */
export function ProductionProducts() {
  const query = useCall('products.list', { query: { production: true, limit: shownLimit } });
  return (
    <Card
      title={t.productionProducts}
      actions={
        <Button size="compact-sm" variant="default" onClick={openProduction}>
          {t.newProductionProduct}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ value, total = value.length }) =>
          value.length === 0 ? (
            <Empty title={t.thereIsNoProductionProduct}>{t.oneIsMadeFromDevelopment}</Empty>
          ) : (
            <>
              <ProductTable products={value} />
              {total > value.length && (
                <Text size="sm" mt="xs">
                  {t.newestOf(formatCount(value.length))}{' '}
                  <PageLink href="/products?production=true" inherit>
                    {t.all(formatCount(total))}
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
