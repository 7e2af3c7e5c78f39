import { Button, Stack, Text } from '@mantine/core';
import { type BundleRecord, type DeviceRecord, type InputOf, standingStates, tags } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Empty } from '../../ui/states.tsx';
import { type ListAddress, pageOf, useListAddress } from '../../ui/use-list.ts';
import { healthWords, standingWords } from '../device/device-state.ts';
import { StandingBadge } from '../device/standing.tsx';
import { AdoptionChart } from './adoption-chart.tsx';
import type { TabProps } from './tab-props.ts';

type Query = NonNullable<InputOf<'devices.list'>['query']>;

const filterNames = ['q', 'bundle_id', 'standing', 'tag'] as const;

/** Bundles that the chart and the filter offer. */
const bundlesLimit = 500;

const standingChoices = standingStates.map((value) => ({ value, label: stateName(standingWords[value]) }));
const tagChoices = [{ value: '', label: common.noTag }, ...tags];

const columns: readonly Column<DeviceRecord>[] = [
  {
    key: 'title',
    title: common.device,
    sort: 'title',
    cell: ({ id, title, uuid }) => (
      <>
        <PageLink href={`/devices/${id}`}>{title}</PageLink>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {uuid}
        </Text>
      </>
    ),
  },
  { key: 'version', title: common.version, from: 'sm', cell: ({ version }) => version ?? '—' },
  { key: 'standing', title: t.update, cell: ({ id, standing }) => <StandingBadge deviceId={id} standing={standing} /> },
  {
    key: 'tag',
    title: t.follows,
    from: 'sm',
    cell: ({ tag }) => (tag ? <StateBadge state={tag} /> : <Text size="sm">{t.release}</Text>),
  },
  {
    key: 'health',
    title: common.state,
    from: 'md',
    cell: ({ health }) => <StateBadge state={healthWords[health]} />,
  },
  { key: 'seen', title: common.lastSeen, sort: 'last_seen_at', from: 'sm', cell: momentOf('last_seen_at') },
];

interface FiltersProps {
  readonly list: ListAddress;
  readonly bundles: readonly BundleRecord[];
}

function Filters({ list, bundles }: FiltersProps) {
  return (
    <FilterBar
      list={list}
      label={t.searchDevicesOfProduct}
      search={{ label: t.searchDevicesOfProduct, placeholder: t.titleUuidOrMac }}
    >
      <ChoiceFilter
        list={list}
        name="bundle_id"
        label={common.bundle}
        choices={bundles.map(({ id, version }) => ({ value: id, label: version }))}
      />
      <ChoiceFilter list={list} name="standing" label={t.update} choices={standingChoices} />
      <ChoiceFilter list={list} name="tag" label={common.tag} choices={tagChoices} />
    </FilterBar>
  );
}

/** The devices activated to the product, split by bundle. */
export default function ProductDevices({ product }: TabProps) {
  const list = useListAddress('Devices of the product', filterNames);
  const bundles = useCall('bundles.list', { params: { product_id: product.id }, query: { limit: bundlesLimit } });
  // Safe: the service refuses a filter or order that it does not know, and the page shows that.
  const query = {
    ...list.filters,
    ...pageOf(list),
    product_id: product.id,
  } as Query;
  const devices = useCall('devices.list', { query }, { keepPrevious: true });
  const known = bundles.data?.value ?? [];
  const filtered = Object.keys(list.filters).length > 0;
  return (
    <Stack gap="md">
      {product.device_count > 0 && (
        <Card title={t.byBundle}>
          <AdoptionChart productId={product.id} bundles={known} />
        </Card>
      )}
      <Filters list={list} bundles={known} />
      <DataTable
        label={t.devicesOfProduct}
        noun={nouns.device}
        columns={columns}
        query={devices}
        list={list}
        idOf={({ id }) => id}
        empty={
          filtered ? (
            <Empty
              title={t.noDeviceFitsFilters}
              action={
                <Button variant="default" onClick={list.clear}>
                  {common.clearTheFilters}
                </Button>
              }
            />
          ) : (
            <Empty title={t.noDeviceIsActivatedTo}>{t.activateOneOnItsPage}</Empty>
          )
        }
      />
    </Stack>
  );
}
