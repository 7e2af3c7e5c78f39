import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { InputOf, ProductRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useAddressDialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { type ListAddress, useListAddress } from '../../ui/use-list.ts';
import { unheardMs } from '../product/unheard.ts';
import type { ViewProps } from '../view-props.ts';
import { CreateProduct } from './create-product.tsx';

type Query = NonNullable<InputOf<'products.list'>['query']>;

const filterNames = ['q', 'category', 'state', 'role', 'platform_id', 'production'] as const;

const columns: readonly Column<ProductRecord>[] = [
  {
    key: 'title',
    title: 'Product',
    sort: 'title',
    cell: ({ id, title, product, summary }) => (
      <>
        <PageLink href={`/products/${id}`} inherit fw={600}>
          {title}
        </PageLink>
        {summary !== '' && <Text size="sm">{summary}</Text>}
        <Text size="xs" c="dimmed">
          {product}
        </Text>
      </>
    ),
  },
  { key: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: 'version',
    title: 'Version',
    from: 'sm',
    cell: ({ version, tag }) => (
      <Group gap={6} wrap="nowrap">
        {version ?? '—'}
        {tag && <StateBadge state={tag} />}
      </Group>
    ),
  },
  { key: 'platform', title: 'Platform', from: 'md', cell: ({ platform, flavor }) => `${platform} ${flavor ?? ''}` },
  { key: 'role', title: 'My role', from: 'md', cell: ({ role }) => (role === 'none' ? '—' : role) },
  { key: 'owner', title: 'Owner', from: 'lg', cell: ({ user, customer }) => customer ?? user ?? '—' },
  { key: 'devices', title: 'Devices', from: 'sm', cell: ({ device_count }) => formatCount(device_count) },
  { key: 'updated', title: 'Changed', sort: 'updated_at', from: 'lg', cell: (row) => <Moment at={row.updated_at} /> },
];

const choices = {
  category: [
    { value: 'mine', label: 'Mine' },
    { value: 'managed', label: 'Managed by me' },
    { value: 'published', label: 'Published (store)' },
    { value: 'edition', label: 'Editions' },
  ],
  state: ['preview', 'published', 'archive', 'trash'],
  role: [
    { value: 'owner', label: 'Owner' },
    { value: 'manager', label: 'Manager' },
    { value: 'any', label: 'Any role' },
  ],
  production: [
    { value: 'false', label: 'Development' },
    { value: 'true', label: 'Production' },
  ],
};

interface FilterProps {
  readonly list: ListAddress;
  readonly name: (typeof filterNames)[number];
  readonly label: string;
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
}

function Filter({ list, name, label, data }: FilterProps) {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={[...data]}
      value={list.filters[name] ?? null}
      onChange={(value) => list.setFilter(name, value ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear the filter ${label}` }}
      w={{ base: 'calc(50% - var(--mantine-spacing-sm) / 2)', xs: 170 }}
    />
  );
}

function Filters({ list }: { readonly list: ListAddress }) {
  const { init } = useInit();
  const platforms = init?.platforms.map(({ id, code }) => ({ value: id, label: code })) ?? [];
  return (
    <Group gap="sm" role="search">
      <SearchBox
        label="Search products"
        placeholder="Title or code"
        value={list.filters.q}
        onChange={(q) => list.setFilter('q', q)}
      />
      <Filter list={list} name="category" label="Category" data={choices.category} />
      <Filter list={list} name="state" label="State" data={choices.state} />
      <Filter list={list} name="role" label="My role" data={choices.role} />
      <Filter list={list} name="platform_id" label="Platform" data={platforms} />
      <Filter list={list} name="production" label="Made for" data={choices.production} />
      {Object.keys(list.filters).length > 0 && (
        <Button variant="subtle" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </Group>
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
        title="No product fits the filters"
        action={
          <Button variant="default" onClick={list.clear}>
            Clear the filters
          </Button>
        }
      />
    );
  }
  return (
    <Empty title="No products yet" action={create}>
      A product is what devices of one model share: their firmware, their files, and the versions they are updated to.
    </Empty>
  );
}

/** Every product that the caller may see. */
export default function Products(_: ViewProps) {
  const list = useListAddress(filterNames);
  const [opened, dialog] = useAddressDialog('new');
  // Safe: the service refuses a filter or order that it does not know, and the page shows that.
  const query = { ...list.filters, sort: list.sort, limit: list.limit, offset: list.offset } as Query;
  const products = useCall('products.list', { query }, { keepPrevious: true, everyMs: unheardMs });
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
      Create a product
    </Button>
  );
  return (
    <Page
      title="Products"
      description="What devices of one model share: firmware, files, versions. Yours, those you work on, and what others have published."
      actions={create}
    >
      <CreateProduct opened={opened} onClose={dialog.close} />
      <Stack gap="sm">
        <Filters list={list} />
        <DataTable
          label="Products"
          noun="product"
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
