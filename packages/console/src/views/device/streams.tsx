import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import type { StreamRecord } from '@moorage/api';
import { useLocation, useSearch } from 'wouter';
import { ApiError } from '../../api/client.ts';
import type { Connection } from '../../api/live.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { NotActivated } from './not-activated.tsx';
import { type Range, rangeOf, ranges } from './samples.ts';
import { StreamCard } from './stream-card.tsx';
import type { TabProps } from './tabs.ts';
import { useStreams } from './use-streams.ts';

/** The range that is looked at, kept in the address. */
function useRange(): readonly [Range, (key: string) => void] {
  const [path, navigate] = useLocation();
  const range = rangeOf(new URLSearchParams(useSearch()).get('range') ?? undefined);
  return [range, (key) => navigate(`${path}?range=${key}`, { replace: true })];
}

interface ChartsProps {
  readonly deviceId: string;
  readonly streams: readonly StreamRecord[];
  readonly connection: Connection;
}

function Charts({ deviceId, streams, connection }: ChartsProps) {
  const [range, setRange] = useRange();
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          aria-label="How far back"
          data={ranges.map(({ key, title }) => ({ value: key, label: title }))}
          value={range.key}
          onChange={setRange}
          size="xs"
          style={{ flexWrap: 'wrap' }}
        />
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {range.intervalMs === undefined ? 'Every sample' : 'Mean, lowest and highest of each interval'}
          </Text>
          <StateBadge state={connection === 'lost' ? 'not followed' : 'live'} />
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, lg: streams.length > 1 ? 2 : 1 }}>
        {streams.map((stream) => (
          <StreamCard key={stream.name} deviceId={deviceId} stream={stream} range={range} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** What the device measures: charts of numbers and lists of texts, which grow as samples arrive. */
export default function Streams({ device }: TabProps) {
  const { query, connection } = useStreams(device.id);
  const streams = query.data?.value;
  if (streams?.length === 0) {
    return <Empty title="The device has no streams">Its capabilities file names none.</Empty>;
  }
  if (streams) return <Charts deviceId={device.id} streams={streams} connection={connection} />;
  const { error } = query;
  if (error instanceof ApiError && error.code === 'NOT_ACTIVATED') return <NotActivated what="streams" />;
  return error ? <ErrorBox error={error} onRetry={() => void query.refetch()} /> : <Loading />;
}
