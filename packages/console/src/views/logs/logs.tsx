import { Button, Group, Select, Text } from '@mantine/core';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import type { ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatMoment, msOf } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { nowMs } from '../../ui/time.ts';
import { type ListAddress, useListAddress } from '../../ui/use-list.ts';

const filterNames = ['q', 'type', 'level', 'device_id', 'product_id', 'user_id', 'since'] as const;

const hourMs = 3_600_000;

/** Spans to look back over, by their name in the address. */
const spans = [
  { value: 'hour', label: 'Last hour', ms: hourMs },
  { value: 'day', label: 'Last day', ms: 24 * hourMs },
  { value: 'week', label: 'Last 7 days', ms: 7 * 24 * hourMs },
  { value: 'month', label: 'Last 30 days', ms: 30 * 24 * hourMs },
] as const;

/** A span begins on a full minute, so that the same list is not asked for under ever new names. */
function beginOf(since: string | undefined): number | undefined {
  const span = spans.find(({ value }) => value === since);
  return span && Math.floor((nowMs() - span.ms) / 60_000) * 60_000;
}

/** A short word of a narrow column: it is not cut in the middle to make room for the messages. */
const Word = ({ children }: { readonly children: ReactNode }) => (
  <span style={{ overflowWrap: 'break-word' }}>{children}</span>
);

const columns: readonly Column<LogRecord>[] = [
  {
    key: 'at',
    title: 'Time',
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
  { key: 'level', title: 'Level', from: 'sm', cell: (log) => <StateBadge state={log.level} /> },
  { key: 'type', title: 'Type', from: 'md', cell: (log) => <Word>{log.type}</Word> },
  {
    key: 'message',
    title: 'Message',
    cell: ({ id, level, message, type, device, device_id }) => (
      <>
        <PageLink href={`/logs/${id}`} inherit>
          {message}
        </PageLink>
        <Group gap={6} hiddenFrom="sm">
          {level !== 'info' && <StateBadge state={level} />}
          <Text size="xs" c="dimmed">
            {device_id === null ? type : `${type} · ${device ?? device_id}`}
          </Text>
        </Group>
      </>
    ),
  },
  {
    key: 'device',
    title: 'Device',
    from: 'sm',
    cell: (log) =>
      log.device_id && (
        <PageLink href={`/devices/${log.device_id}`} inherit>
          <Word>{log.device ?? log.device_id}</Word>
        </PageLink>
      ),
  },
  {
    key: 'product',
    title: 'Product',
    from: 'lg',
    cell: (log) =>
      log.product_id && (
        <PageLink href={`/products/${log.product_id}`} inherit>
          {log.product ?? log.product_id}
        </PageLink>
      ),
  },
  { key: 'user', title: 'User', from: 'md', cell: (log) => <Word>{log.user}</Word> },
];

function Filters({ list }: { readonly list: ListAddress }) {
  const { filters, setFilter } = list;
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <Group gap="sm" role="search" aria-label="Filters of the log">
      <SearchBox
        label="Search the messages"
        placeholder="Part of a message"
        value={filters.q}
        onChange={(value) => setFilter('q', value)}
      />
      <Select
        aria-label="Type"
        placeholder="All types"
        data={[...logTypes]}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All types' }}
        value={filters.type ?? null}
        onChange={(value) => setFilter('type', value ?? undefined)}
        w={{ base: '100%', xs: 210 }}
      />
      <Select
        aria-label="Level"
        placeholder="All levels"
        data={[...logLevels]}
        clearable
        clearButtonProps={{ 'aria-label': 'All levels' }}
        value={filters.level ?? null}
        onChange={(value) => setFilter('level', value ?? undefined)}
        w={{ base: 'calc(50% - var(--mantine-spacing-sm) / 2)', xs: 140 }}
      />
      <Select
        aria-label="Time"
        placeholder="All times"
        data={spans.map(({ value, label }) => ({ value, label }))}
        clearable
        clearButtonProps={{ 'aria-label': 'All times' }}
        value={filters.since ?? null}
        onChange={(value) => setFilter('since', value ?? undefined)}
        w={{ base: 'calc(50% - var(--mantine-spacing-sm) / 2)', xs: 150 }}
      />
      {isNarrowed && (
        <Button variant="subtle" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

/** What has happened, newest first. */
export default function Logs() {
  const list = useListAddress(filterNames);
  const { since, ...asked } = list.filters;
  const from = beginOf(since);
  // Safe: the service checks what an address may hold, and says what is wrong.
  const query = {
    ...asked,
    ...(from !== undefined && { from }),
    ...(list.sort !== undefined && { sort: list.sort }),
    limit: list.limit,
    offset: list.offset,
  } as LogListQuery;
  const found = useCall('logs.list', { query }, { keepPrevious: true });
  return (
    <Page
      title="Logs"
      description="What you did, and what happened to your devices and products. Update checks and messages are listed when their type is chosen."
    >
      <Filters list={list} />
      <DataTable
        label="Logs"
        noun="entry"
        nouns="entries"
        columns={columns}
        query={found}
        list={list}
        idOf={(log) => log.id}
        countLimit={logsDepthLimit}
        empty={
          Object.keys(list.filters).length > 0 ? (
            <Empty
              title="No entry fits the filters"
              action={
                <Button variant="default" onClick={list.clear}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <Empty title="Nothing has happened yet">What you do, and what your devices do, is listed here.</Empty>
          )
        }
      />
    </Page>
  );
}
