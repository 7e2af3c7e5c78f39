import { Button, Stack, Text } from '@mantine/core';
import type { InputOf, ProductRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { formatCount } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/products.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useAddressDialog } from '../../ui/dialogs.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { Versions } from '../../ui/product-versions.tsx';
import { Empty } from '../../ui/states.tsx';
import { type ListAddress, pageOf, useListAddress } from '../../ui/use-list.ts';
import { unheardMs } from '../product/unheard.ts';
import type { ViewProps } from '../view-props.ts';
import { CreateProduct } from './create-product.tsx';

type Query = NonNullable<InputOf<'products.list'>['query']>;

const filterNames = ['q', 'category', 'state', 'role', 'platform_id', 'production'] as const;

const columns: readonly Column<ProductRecord>[] = [
  {
    key: 'title',
    title: common.product,
    sort: 'title',
    cell: ({ id, title, product, summary }) => (
      <>
        <PageLink href={`/products/${id}`} inherit fw={600}>
          {title}
        </PageLink>
        {summary !== '' && <Text size="sm">{summary}</Text>}
        <Muted small>{product}</Muted>
      </>
    ),
  },
  { key: 'state', title: common.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: 'version',
    title: common.version,
    from: 'sm',
    cell: (product) => <Versions product={product} />,
  },
  {
    key: 'platform',
    title: common.platform,
    from: 'md',
    cell: ({ platform, flavor }) => `${platform} ${flavor ?? ''}`,
  },
  { key: 'role', title: t.myRole, from: 'md', cell: ({ role }) => (role === 'none' ? '—' : stateName(role)) },
  { key: 'owner', title: common.owner, from: 'lg', cell: ({ user, customer }) => customer ?? user ?? '—' },
  { key: 'devices', title: common.devices, from: 'sm', cell: ({ device_count }) => formatCount(device_count) },
  {
    key: 'updated',
    title: common.changed,
    sort: 'updated_at',
    from: 'lg',
    cell: momentOf('updated_at'),
  },
];

const choices = {
  category: [
    { value: 'mine', label: t.mine },
    { value: 'managed', label: t.managedByMe },
    { value: 'published', label: t.publishedStore },
    { value: 'edition', label: t.editions },
  ],
  state: ['preview', 'published', 'archive', 'trash'],
  role: [
    { value: 'owner', label: common.owner },
    { value: 'manager', label: t.manager },
    { value: 'any', label: t.anyRole },
  ],
  production: [
    { value: 'false', label: t.development },
    { value: 'true', label: t.production },
  ],
};

function Filters({ list }: { readonly list: ListAddress }) {
  const { init } = useInit();
  const platforms = init?.platforms.map(({ id, code }) => ({ value: id, label: code })) ?? [];
  return (
    <FilterBar list={list} label={t.searchProducts} search={{ label: t.searchProducts, placeholder: t.titleOrCode }}>
      <ChoiceFilter list={list} name="category" label={t.category} choices={choices.category} />
      <ChoiceFilter list={list} name="state" label={common.state} choices={choices.state} />
      <ChoiceFilter list={list} name="role" label={t.myRole} choices={choices.role} />
      <ChoiceFilter list={list} name="platform_id" label={common.platform} choices={platforms} />
      <ChoiceFilter list={list} name="production" label={t.madeFor} choices={choices.production} />
    </FilterBar>
  );
}

interface NoProductsProps {
  readonly list: ListAddress;
  readonly create: ReactNode;
}

function NoProducts({ list, create }: NoProductsProps) {
  if (Object.keys(list.filters).length > 0) {
    return (
      <Empty
        title={t.noProductFitsFilters}
        action={
          <Button variant="default" onClick={list.clear}>
            {common.clearTheFilters}
          </Button>
        }
      />
    );
  }
  return (
    <Empty title={t.noProductsYet} action={create}>
      {t.productIsWhatDevicesOf}
    </Empty>
  );
}

/** Every product that the caller may see. */
export default function Products(_: ViewProps) {
  const list = useListAddress('Products', filterNames);
  const [opened, dialog] = useAddressDialog('new');
  // Safe: the service refuses a filter or order that it does not know, and the page shows that.
  const query = { ...list.filters, ...pageOf(list) } as Query;
  const products = useCall('products.list', { query }, { keepPrevious: true, everyMs: unheardMs });
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
      {t.createAProduct}
    </Button>
  );
  return (
    <Page title={common.products} description={t.whatDevicesOfOneModel} actions={create}>
      <CreateProduct opened={opened} onClose={dialog.close} />
      <Stack gap="sm">
        <Filters list={list} />
        <DataTable
          label={common.products}
          noun={nouns.product}
          columns={columns}
          query={products}
          list={list}
          idOf={({ id }) => id}
          empty={<NoProducts list={list} create={create} />}
        />
      </Stack>
    </Page>
  );
}
