import { Group, Stack } from '@mantine/core';
import { type LogListQuery, type LogRecord, logLevels, logsDepthLimit, logTypes } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { nouns } from '../../texts/nouns.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import type { TabProps } from './tab-props.ts';

const filterNames = ['q', 'type', 'level', 'after'] as const;

const columns: readonly Column<LogRecord>[] = [
  { key: 'at', title: common.time, sort: 'created_at', cell: momentOf('created_at') },
  { key: 'level', title: t.level, from: 'sm', cell: ({ level }) => <StateBadge state={level} /> },
  {
    key: 'message',
    title: t.whatHappened,
    cell: ({ id, message }) => <PageLink href={`/logs/${id}`}>{message}</PageLink>,
  },
  { key: 'type', title: common.type, from: 'md', cell: ({ type }) => type },
  { key: 'user', title: t.by, from: 'sm', cell: ({ user }) => user ?? '—' },
];

/** Types of events that happen to devices. */
const deviceTypes = logTypes.filter((type) => /^(device|ota|connector)\./.test(type));

/** What has happened to the device; new lines come by themselves. */
export default function DeviceLog({ device }: TabProps) {
  const list = useListAddress('Log of the device', filterNames);
  const { q } = list.filters;
  // Safe: the service checks what an address may hold, and says what is wrong.
  const asked = {
    ...list.filters,
    ...pageOf(list),
    device_id: device.id,
  } as LogListQuery;
  const query = useCall('logs.list', { query: asked }, { keepPrevious: true });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SearchBox
          label={t.searchLog}
          placeholder={t.partOfMessage}
          value={q}
          onChange={(next) => list.setFilter('q', next)}
        />
        <ChoiceFilter
          list={list}
          name="type"
          label={t.typeOfEvent}
          any={t.allTypes}
          choices={deviceTypes}
          searchable
          width={{ base: '100%', xs: 210 }}
        />
        <ChoiceFilter
          list={list}
          name="level"
          label={t.level}
          any={t.allLevels}
          choices={logLevels.map((value) => ({ value, label: stateName(value) }))}
          width={{ base: '100%', xs: 140 }}
        />
      </Group>
      <DataTable
        label={t.logOfDevice}
        noun={nouns.event}
        columns={columns}
        query={query}
        list={list}
        idOf={({ id }) => id}
        countLimit={logsDepthLimit}
        empty={<Empty title={t.nothingHasHappened}>{t.whatDeviceDoesAndWhat}</Empty>}
      />
    </Stack>
  );
}
