import { Button, Group, Text } from '@mantine/core';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { nowMs } from '../../browser/time.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { t } from '../../texts/logs.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as shell } from '../../texts/shell.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { FoundSelect } from '../../ui/found-select.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { ProductSelect } from '../../ui/product-select.tsx';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Empty } from '../../ui/states.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { type ListAddress, pageOf, useListAddress } from '../../ui/use-list.ts';
import { ActivitySections } from './activity-sections.tsx';

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

/** As wide as the window of a phone. */
const widthOf = (px: number) => ({ base: '100%', xs: px });

/** A device, found by typing part of its title, uuid or address. */
function DeviceSelect({ list }: { readonly list: ListAddress }) {
  const id = list.filters.device_id;
  const [q, search] = useState('');
  const found = useCall('devices.list', { query: { limit: 20, ...(q !== '' && { q }) } }, { keepPrevious: true });
  const chosen = useCall('devices.get', { params: { identifier: id ?? '' } }, { enabled: id !== undefined });
  const devices = [...(chosen.data ? [chosen.data.value] : []), ...(found.data?.value ?? [])];
  return (
    <FoundSelect
      hideLabel
      label={common.device}
      placeholder={t.allDevices}
      options={devices.map(({ id: value, title, uuid }) => ({ value, label: title || uuid }))}
      onSearch={search}
      nothing={t.noSuchDevice}
      clearable
      value={id ?? null}
      onChange={(value) => list.setFilter('device_id', value ?? undefined)}
      w={widthOf(180)}
    />
  );
}

function Filters({ list }: { readonly list: ListAddress }) {
  const levels = logLevels.map((value) => ({ value, label: stateName(value) }));
  return (
    <FilterBar list={list} label={t.filtersOfLog} search={{ label: t.searchMessages, placeholder: t.partOfMessage }}>
      <ChoiceFilter
        list={list}
        name="type"
        label={common.type}
        any={t.allOf(common.type)}
        choices={logTypes}
        searchable
        width={widthOf(180)}
      />
      <ChoiceFilter
        list={list}
        name="level"
        label={t.level}
        any={t.allOf(t.level)}
        choices={levels}
        width={widthOf(120)}
      />
      <ChoiceFilter
        list={list}
        name="since"
        label={common.time}
        any={t.allOf(common.time)}
        choices={spans}
        width={widthOf(130)}
      />
      <DeviceSelect list={list} />
      <TextFilter list={list} name="user" label={t.person} wide />
      <ProductSelect
        hideLabel
        label={common.product}
        placeholder={t.allProducts}
        value={list.filters.product_id ?? null}
        onChange={(value) => list.setFilter('product_id', value ?? undefined)}
        width={widthOf(180)}
      />
    </FilterBar>
  );
}

/** What has happened, newest first. */
export default function Logs() {
  const list = useListAddress('Logs', filterNames);
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
    <Page title={shell.activity} description={t.whatYouDidAndWhat} actions={<SavedViews list={list} page="logs" />}>
      <ActivitySections shown="/logs" />
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
