import { Button, Group, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/logs.ts';
import { nouns } from '../../texts/nouns.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { formatMoment, msOf } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Empty } from '../../ui/states.tsx';
import { nowMs } from '../../ui/time.ts';
import { type ListAddress, pageOf, useListAddress } from '../../ui/use-list.ts';
import { ProductSelect, TextFilter } from '../devices/filters.tsx';

const filterNames = ['q', 'type', 'level', 'device_id', 'product_id', 'user_id', 'user', 'since', 'after'] as const;

const hourMs = 3_600_000;

/** Spans to look back over, by their name in the address. */
const spans = [
  { value: 'hour', label: t.lastHour, ms: hourMs },
  { value: 'day', label: t.lastDay, ms: 24 * hourMs },
  { value: 'week', label: t.last7Days, ms: 7 * 24 * hourMs },
  { value: 'month', label: t.last30Days, ms: 30 * 24 * hourMs },
] as const;

/** A span begins on a full minute, so that the same list is not asked for under ever new names. */
function beginOf(since: string | undefined): number | undefined {
  const span = spans.find(({ value }) => value === since);
  return span && Math.floor((nowMs() - span.ms) / 60_000) * 60_000;
}

const columns: readonly Column<LogRecord>[] = [
  {
    key: 'at',
    title: common.time,
    sort: 'created_at',
    cell: ({ created_at }) => (
      <>
        <Text span inherit visibleFrom="sm" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
          {formatMoment(msOf(created_at))}
        </Text>
        <Text span inherit hiddenFrom="sm">
          <Moment at={created_at} />
        </Text>
      </>
    ),
  },
  { key: 'level', title: t.level, from: 'sm', cell: (log) => <StateBadge state={log.level} /> },
  { key: 'type', title: common.type, from: 'md', cell: (log) => log.type },
  {
    key: 'message',
    title: t.message,
    fill: true,
    cell: ({ id, level, message, type, device, device_id }) => (
      <>
        <PageLink href={`/logs/${id}`} inherit>
          {message}
        </PageLink>
        <Group gap={6} hiddenFrom="sm">
          {level !== 'info' && <StateBadge state={level} />}
          <Muted small>{device_id === null ? type : `${type} · ${device ?? device_id}`}</Muted>
        </Group>
      </>
    ),
  },
  {
    key: 'device',
    title: common.device,
    from: 'sm',
    cell: (log) =>
      log.device_id && (
        <PageLink href={`/devices/${log.device_id}`} inherit>
          {log.device ?? log.device_id}
        </PageLink>
      ),
  },
  {
    key: 'product',
    title: common.product,
    from: 'lg',
    cell: (log) =>
      log.product_id && (
        <PageLink href={`/products/${log.product_id}`} inherit>
          {log.product ?? log.product_id}
        </PageLink>
      ),
  },
  { key: 'user', title: common.user, from: 'md', cell: (log) => log.user },
];

interface ChoiceProps {
  readonly list: ListAddress;
  readonly name: (typeof filterNames)[number];
  readonly label: string;
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
  readonly width: number;
}

const Choice = ({ list, name, label, data, width }: ChoiceProps) => (
  <Select
    aria-label={label}
    placeholder={t.allOf(label)}
    data={[...data]}
    searchable={data.length > 10}
    clearable
    clearButtonProps={{ 'aria-label': t.allOf(label) }}
    value={list.filters[name] ?? null}
    onChange={(value) => list.setFilter(name, value ?? undefined)}
    w={{ base: '100%', xs: width }}
  />
);

/** A device, found by typing part of its title, uuid or address. */
function DeviceSelect({ list }: { readonly list: ListAddress }) {
  const id = list.filters.device_id;
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, typingMs);
  const found = useCall('devices.list', { query: { limit: 20, ...(q !== '' && { q }) } }, { keepPrevious: true });
  const chosen = useCall('devices.get', { params: { identifier: id ?? '' } }, { enabled: id !== undefined });
  const devices = [...(chosen.data ? [chosen.data.value] : []), ...(found.data?.value ?? [])];
  const choices = new Map(devices.map(({ id: value, title, uuid }) => [value, { value, label: title || uuid }]));
  return (
    <Select
      aria-label={common.device}
      placeholder={t.allDevices}
      data={[...choices.values()]}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t.allDevices }}
      nothingFoundMessage={t.noSuchDevice}
      // The service has searched already, by more than the label.
      filter={({ options }) => options}
      onSearchChange={(text) => setTyped([...choices.values()].some(({ label }) => label === text) ? '' : text)}
      value={id ?? null}
      onChange={(value) => list.setFilter('device_id', value ?? undefined)}
      w={{ base: '100%', xs: 180 }}
    />
  );
}

function Filters({ list }: { readonly list: ListAddress }) {
  return (
    <FilterBar list={list} label={t.filtersOfLog} search={{ label: t.searchMessages, placeholder: t.partOfMessage }}>
      <Choice list={list} name="type" label={common.type} data={logTypes} width={180} />
      <Choice
        list={list}
        name="level"
        label={t.level}
        data={logLevels.map((value) => ({ value, label: stateName(value) }))}
        width={120}
      />
      <Choice
        list={list}
        name="since"
        label={common.time}
        data={spans.map(({ value, label }) => ({ value, label }))}
        width={130}
      />
      <DeviceSelect list={list} />
      <TextFilter list={list} name="user" label={t.person} wide />
      <ProductSelect
        hideLabel
        label={common.product}
        placeholder={t.allProducts}
        value={list.filters.product_id ?? null}
        onChange={(value) => list.setFilter('product_id', value ?? undefined)}
        width={{ base: '100%', xs: 180 }}
      />
    </FilterBar>
  );
}

/** Letters that are typed together are one question, in ms. */
const typingMs = 200;

/** What has happened, newest first. */
export default function Logs() {
  const list = useListAddress(common.logs, filterNames);
  const { since, ...asked } = list.filters;
  const from = beginOf(since);
  // Safe: the service checks what an address may hold, and says what is wrong.
  const query = {
    ...asked,
    ...(from !== undefined && { from }),
    ...pageOf(list),
  } as LogListQuery;
  const found = useCall('logs.list', { query }, { keepPrevious: true });
  return (
    <Page title={common.logs} description={t.whatYouDidAndWhat} actions={<SavedViews list={list} page="logs" />}>
      <Filters list={list} />
      <DataTable
        label={common.logs}
        noun={nouns.entry}
        columns={columns}
        query={found}
        list={list}
        idOf={(log) => log.id}
        countLimit={logsDepthLimit}
        empty={
          Object.keys(list.filters).length > 0 ? (
            <Empty
              title={t.noEntryFitsFilters}
              action={
                <Button variant="default" onClick={list.clear}>
                  {common.clearTheFilters}
                </Button>
              }
            />
          ) : (
            <Empty title={t.nothingHasHappenedYet}>{t.whatYouDoAndWhat}</Empty>
          )
        }
      />
    </Page>
  );
}
