import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { StreamRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/device-tabs.tsx';
import { Card } from '../../ui/card.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { formatValue } from './samples.ts';
import { Sparkline } from './sparkline.tsx';
import type { TabProps } from './tab-props.ts';
import { useStreams } from './use-streams.ts';

/** Streams that are shown here; the tab has them all. */
const shownStreams = 4;

function Value({ deviceId, stream }: { readonly deviceId: string; readonly stream: StreamRecord }) {
  const { name, title, last, units, type } = stream;
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Stack gap={0} miw={0}>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {title ?? name}
        </Text>
        <Text fw={650} size="lg" className="figure" style={{ overflowWrap: 'anywhere' }}>
          {last ? formatValue(last.value, units) : '—'}
        </Text>
        {last && (
          <Text size="xs" c="dimmed" component="div">
            <Moment at={last.at} />
          </Text>
        )}
      </Stack>
      {type === 'number' && <Sparkline deviceId={deviceId} name={name} />}
    </Group>
  );
}

function Values({ device }: TabProps) {
  const { query } = useStreams(device.id);
  const streams = query.data?.value ?? [];
  if (streams.length === 0) return null;
  return (
    <Card
      title={t.now}
      actions={
        <PageLink href={`/devices/${device.id}/streams`} size="sm">
          {t.liveCharts}
        </PageLink>
      }
    >
      <SimpleGrid
        cols={{ base: 1, sm: 2, lg: Math.min(streams.length, shownStreams) }}
        spacing="xl"
        verticalSpacing="sm"
      >
        {streams.slice(0, shownStreams).map((stream) => (
          <Value key={stream.name} deviceId={device.id} stream={stream} />
        ))}
      </SimpleGrid>
    </Card>
  );
}

/** What the device measures now, as it comes; nothing for a device that measures nothing. */
export function LatestValues({ device }: TabProps) {
  const { data } = useCall('data.capabilities', { params: { device_id: device.id } });
  return data?.value.activated ? <Values device={device} /> : null;
}
