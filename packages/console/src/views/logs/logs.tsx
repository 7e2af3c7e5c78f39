import { Button, Group, Select } from '@mantine/core';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
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

const columns: readonly Column<LogRecord>[] = [
  { key: 'at', title: 'Time', sort: 'created_at', cell: (log) => <Moment at={log.created_at} /> },
  { key: 'level', title: 'Level', from: 'sm', cell: (log) => <StateBadge state={log.level} /> },
  { key: 'type', title: 'Type', from: 'md', cell: (log) => log.type },
  { key: 'message', title: 'Message', cell: (log) => <PageLink href={`/logs/${log.id}`}>{log.message}</PageLink> },
  {
    key: 'device',
    title: 'Device',
    from: 'sm',
    cell: (log) =>
      log.device_id && <PageLink href={`/devices/${log.device_id}`}>{log.device ?? log.device_id}</PageLink>,
  },
  {
    key: 'product',
    title: 'Product',
    from: 'lg',
    cell: (log) =>
      log.product_id && <PageLink href={`/products/${log.product_id}`}>{log.product ?? log.product_id}</PageLink>,
  },
  { key: 'user', title: 'User', from: 'md', cell: (log) => log.user },
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
        w={{ base: '100%', xs: 140 }}
      />
      <Select
        aria-label="Time"
        placeholder="All times"
        data={spans.map(({ value, label }) => ({ value, label }))}
        clearable
        clearButtonProps={{ 'aria-label': 'All times' }}
        value={filters.since ?? null}
        onChange={(value) => setFilter('since', value ?? undefined)}
        w={{ base: '100%', xs: 150 }}
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
        empty={<Empty title="Nothing is logged">Nothing fits these filters, or nothing has happened yet.</Empty>}
      />
    </Page>
  );
}
