import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { BundleRecord, DeviceRecord, InputOf } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { type ListAddress, useListAddress } from '../../ui/use-list.ts';
import { AdoptionChart } from './adoption-chart.tsx';
import type { TabProps } from './tab-props.ts';

type Query = NonNullable<InputOf<'devices.list'>['query']>;

const filterNames = ['q', 'bundle_id', 'updated', 'tag'] as const;

/** Bundles that the chart and the filter offer. */
const bundlesLimit = 500;

const updateStates = [
  { value: 'ok', label: 'Installed' },
  { value: 'outdated', label: 'Not yet' },
  { value: 'failed', label: 'Failed' },
];

const columns: readonly Column<DeviceRecord>[] = [
  {
    key: 'title',
    title: 'Device',
    sort: 'title',
    cell: ({ id, title, uuid }) => (
      <>
        <PageLink href={`/devices/${id}`}>{title}</PageLink>
        <Text size="xs" c="dimmed">
          {uuid}
        </Text>
      </>
    ),
  },
  {
    key: 'bundle',
    title: 'Bundle',
    cell: ({ bundle, bundle_ok }) =>
      bundle === null ? (
        'none offered'
      ) : (
        <>
          {bundle}{' '}
          <Text span size="xs">
            {bundle_ok ? 'installed' : 'not yet'}
          </Text>
        </>
      ),
  },
  {
    key: 'tag',
    title: 'Follows',
    from: 'sm',
    cell: ({ tag }) => (tag ? <StateBadge state={tag} /> : <Text size="sm">release</Text>),
  },
  {
    key: 'online',
    title: 'Connection',
    from: 'md',
    cell: ({ online }) => <StateBadge state={online ? 'online' : 'offline'} />,
  },
  {
    key: 'seen',
    title: 'Last seen',
    sort: 'last_seen_at',
    from: 'sm',
    cell: ({ last_seen_at }) => <Moment at={last_seen_at} />,
  },
];

interface FiltersProps {
  readonly list: ListAddress;
  readonly bundles: readonly BundleRecord[];
}

function Filters({ list, bundles }: FiltersProps) {
  const select = (name: (typeof filterNames)[number], label: string, data: { value: string; label: string }[]) => (
    <Select
      aria-label={label}
      placeholder={label}
      data={data}
      value={list.filters[name] ?? null}
      onChange={(value) => list.setFilter(name, value ?? undefined)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear the filter ${label}` }}
      w={{ base: 'calc(50% - var(--mantine-spacing-sm) / 2)', xs: 170 }}
    />
  );
  return (
    <Group gap="sm" role="search">
      <SearchBox
        label="Search the devices of the product"
        placeholder="Title, uuid or MAC"
        value={list.filters.q}
        onChange={(q) => list.setFilter('q', q)}
      />
      {select(
        'bundle_id',
        'Bundle',
        bundles.map(({ id, version }) => ({ value: id, label: version })),
      )}
      {select('updated', 'Update', updateStates)}
      {select('tag', 'Tag', [
        { value: '', label: 'No tag' },
        ...['alpha', 'beta', 'release'].map((tag) => ({ value: tag, label: tag })),
      ])}
    </Group>
  );
}

/** The devices activated to the product, split by bundle. */
export default function ProductDevices({ product }: TabProps) {
  const list = useListAddress(filterNames);
  const bundles = useCall('bundles.list', { params: { product_id: product.id }, query: { limit: bundlesLimit } });
  // Safe: the service refuses a filter or order that it does not know, and the page shows that.
  const query = {
    ...list.filters,
    sort: list.sort,
    product_id: product.id,
    limit: list.limit,
    offset: list.offset,
  } as Query;
  const devices = useCall('devices.list', { query }, { keepPrevious: true });
  const known = bundles.data?.value ?? [];
  const filtered = Object.keys(list.filters).length > 0;
  return (
    <Stack gap="md">
      {known.some(({ device_count }) => device_count > 0) && (
        <Card title="By bundle">
          <AdoptionChart product={product} bundles={known} />
        </Card>
      )}
      <Filters list={list} bundles={known} />
      <DataTable
        label="Devices of the product"
        noun="device"
        columns={columns}
        query={devices}
        list={list}
        idOf={({ id }) => id}
        empty={
          filtered ? (
            <Empty
              title="No device fits the filters"
              action={
                <Button variant="default" onClick={list.clear}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <Empty title="No device is activated to this product yet">
              Activate one on its page, or claim it with an activation token of this product.
            </Empty>
          )
        }
      />
    </Stack>
  );
}
