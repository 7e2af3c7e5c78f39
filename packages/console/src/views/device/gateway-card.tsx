import { Grid, List, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/gateway.ts';
import { Card } from '../../ui/card.tsx';
import { GatewayStreams } from './gateway-streams.tsx';

const can = [t.canCommands, t.canUpdate, t.canWatch];
const cannot = [t.cannotData, t.cannotFirmware, t.cannotData2];

const Points = ({ title, points }: { readonly title: string; readonly points: readonly string[] }) => (
  <Grid.Col span={{ base: 12, sm: 6 }}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <List size="sm" spacing={4}>
      {points.map((point) => (
        <List.Item key={point}>{point}</List.Item>
      ))}
    </List>
  </Grid.Col>
);

/** What can be done with a real module that a gateway stands for; nothing for other devices. */
export function GatewayCard({ device }: { readonly device: DeviceRecord }) {
  const attributes = useCall('attributes.list', { params: { device_id: device.id } });
  const address = attributes.data?.value.find(({ name }) => name === 'gateway')?.value;
  if (address === undefined) return null;
  return (
    <Card title={t.real}>
      <Stack gap="sm">
        <Text size="sm">{t.reachedAt(address)}</Text>
        <Grid>
          <Points title={t.can} points={can} />
          <Points title={t.cannot} points={cannot} />
        </Grid>
        <GatewayStreams device={device} />
      </Stack>
    </Card>
  );
}
