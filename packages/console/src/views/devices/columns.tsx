import { Group, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { StateBadge } from '../../ui/badge.tsx';
import { Copy } from '../../ui/copy.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { deviceStateWords, updateStateOf, versionOf } from './device-state.ts';

function Name({ device }: { readonly device: DeviceRecord }) {
  return (
    <Stack gap={0}>
      <PageLink href={`/devices/${device.id}`} fw={600} size="sm">
        {device.title || device.uuid}
      </PageLink>
      {device.mac !== null && (
        <Group gap={2} wrap="nowrap">
          <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
            {device.mac}
          </Text>
          <Copy value={device.mac} label={`MAC address of ${device.title}`} />
        </Group>
      )}
    </Stack>
  );
}

function Uuid({ device: { uuid, title } }: { readonly device: DeviceRecord }) {
  return (
    <Group gap={2} wrap="nowrap">
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }} maw={180}>
        {uuid}
      </Text>
      <Copy value={uuid} label={`uuid of ${title}`} />
    </Group>
  );
}

/** What the list of devices shows of each. */
export const deviceColumns: readonly Column<DeviceRecord>[] = [
  { key: 'title', title: 'Device', sort: 'title', cell: (device) => <Name device={device} /> },
  { key: 'uuid', title: 'Hardware uuid', sort: 'uuid', from: 'lg', cell: (device) => <Uuid device={device} /> },
  {
    key: 'product',
    title: 'Product',
    from: 'md',
    cell: ({ product, product_id }) => (
      <PageLink href={`/products/${product_id}`} size="sm">
        {product}
      </PageLink>
    ),
  },
  {
    key: 'version',
    title: 'Version',
    cell: (device) => (
      <Stack gap={2} align="flex-start">
        <Text size="sm">{versionOf(device.bversion) ?? '—'}</Text>
        <StateBadge state={updateStateOf(device)} />
      </Stack>
    ),
  },
  { key: 'tag', title: 'Tag', from: 'lg', cell: ({ tag }) => tag && <StateBadge state={tag} /> },
  {
    key: 'state',
    title: 'State',
    sort: 'state',
    from: 'sm',
    cell: ({ state, online }) => (
      <Stack gap={2} align="flex-start">
        <StateBadge state={deviceStateWords[state]} />
        {online && <StateBadge state="online" />}
      </Stack>
    ),
  },
  { key: 'user', title: 'Claimed by', from: 'lg', cell: ({ user }) => user ?? 'nobody' },
  {
    key: 'seen',
    title: 'Last seen',
    sort: 'last_seen_at',
    from: 'sm',
    cell: (device) => <Moment at={device.last_seen_at} />,
  },
];
