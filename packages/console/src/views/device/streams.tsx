import { Group, SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import type { StreamRecord } from '@moorage/api';
import { useLocation, useSearch } from 'wouter';
import type { Connection } from '../../api/live.tsx';
import { t } from '../../texts/device-tabs.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { WhenActivated } from './not-activated.tsx';
import { type Range, rangeOf, ranges } from './samples.ts';
import { StreamCard } from './stream-card.tsx';
import type { TabProps } from './tab-props.ts';
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
          aria-label={t.howFarBack}
          data={ranges.map(({ key, title }) => ({ value: key, label: title }))}
          value={range.key}
          onChange={setRange}
          size="xs"
          style={{ flexWrap: 'wrap' }}
        />
        <Group gap="xs">
          <Muted>{range.intervalMs === undefined ? t.everySample : t.meanLowestAndHighestOf}</Muted>
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

function StreamList({ deviceId }: { readonly deviceId: string }) {
  const { query, connection } = useStreams(deviceId);
  return (
    <Loaded query={query}>
      {({ value: streams }) =>
        streams.length === 0 ? (
          <Empty title={t.deviceHasNoStreams}>{t.itsCapabilitiesFileNamesNone}</Empty>
        ) : (
          <Charts deviceId={deviceId} streams={streams} connection={connection} />
        )
      }
    </Loaded>
  );
}

/** What the device measures: charts of numbers and lists of texts, which grow as samples arrive. */
export default function Streams({ device }: TabProps) {
  return (
    <WhenActivated deviceId={device.id} what={t.streams}>
      <StreamList deviceId={device.id} />
    </WhenActivated>
  );
}
