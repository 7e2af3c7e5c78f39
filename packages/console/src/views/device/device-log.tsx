import { Group, Select, Stack } from '@mantine/core';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import type { TabProps } from './tab-props.ts';

const filterNames = ['q', 'type', 'level'] as const;

const columns: readonly Column<LogRecord>[] = [
  { key: 'at', title: 'Time', sort: 'created_at', cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'level', title: 'Level', from: 'sm', cell: ({ level }) => <StateBadge state={level} /> },
  {
    key: 'message',
    title: 'What happened',
    cell: ({ id, message }) => <PageLink href={`/logs/${id}`}>{message}</PageLink>,
  },
  { key: 'type', title: 'Type', from: 'md', cell: ({ type }) => type },
  { key: 'user', title: 'By', from: 'sm', cell: ({ user }) => user ?? '—' },
];

/** Types of events that happen to devices. */
const deviceTypes = logTypes.filter((type) => /^(device|ota|connector)\./.test(type));

/** What has happened to the device; new lines come by themselves. */
export default function DeviceLog({ device }: TabProps) {
  const list = useListAddress(filterNames);
  const { q, type, level } = list.filters;
  // Safe: the service checks what an address may hold, and says what is wrong.
  const asked = {
    ...list.filters,
    ...(list.sort !== undefined && { sort: list.sort }),
    device_id: device.id,
    limit: list.limit,
    offset: list.offset,
  } as LogListQuery;
  const query = useCall('logs.list', { query: asked }, { keepPrevious: true });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SearchBox
          label="Search the log"
          placeholder="Part of the message"
          value={q}
          onChange={(next) => list.setFilter('q', next)}
        />
        <Select
          aria-label="Type of event"
          placeholder="All types"
          data={deviceTypes}
          value={type ?? null}
          onChange={(next) => list.setFilter('type', next ?? undefined)}
          clearable
          clearButtonProps={{ 'aria-label': 'All types' }}
          searchable
          w={{ base: '100%', xs: 210 }}
        />
        <Select
          aria-label="Level"
          placeholder="All levels"
          data={[...logLevels]}
          value={level ?? null}
          onChange={(next) => list.setFilter('level', next ?? undefined)}
          clearable
          clearButtonProps={{ 'aria-label': 'All levels' }}
          w={{ base: '100%', xs: 140 }}
        />
      </Group>
      <DataTable
        label="Log of the device"
        noun="event"
        columns={columns}
        query={query}
        list={list}
        idOf={({ id }) => id}
        countLimit={logsDepthLimit}
        empty={
          <Empty title="Nothing has happened">
            What the device does, and what is done to it, is listed here for 90 days. Checks for updates and messages
            are shown when their type is asked for.
          </Empty>
        }
      />
    </Stack>
  );
}
