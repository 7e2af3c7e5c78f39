import { Group, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Copy } from '../../ui/copy.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { healthWords } from '../device/device-state.ts';
import { StandingBadge } from '../device/standing.tsx';

/** A code on one line, to be copied whole. */
const Code = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <Group gap={2} wrap="nowrap">
    <Text size="xs" ff="monospace">
      {value}
    </Text>
    <Copy value={value} label={label} />
  </Group>
);

/** What the list of devices shows of each. On a phone: name, state and last seen. */
export const deviceColumns: readonly Column<DeviceRecord>[] = [
  {
    key: 'title',
    title: common.device,
    sort: 'title',
    fill: true,
    cell: ({ id, title, uuid }) => (
      <PageLink href={`/devices/${id}`} fw={600} size="sm">
        {title || uuid}
      </PageLink>
    ),
  },
  {
    key: 'state',
    title: common.state,
    cell: ({ health }) => <StateBadge state={healthWords[health]} />,
  },
  {
    key: 'seen',
    title: common.lastSeen,
    sort: 'last_seen_at',
    cell: momentOf('last_seen_at'),
  },
  { key: 'version', title: common.version, from: 'sm', cell: ({ version }) => version ?? '—' },
  {
    key: 'standing',
    title: t.update,
    from: 'sm',
    cell: ({ id, standing }) => <StandingBadge deviceId={id} standing={standing} />,
  },
  {
    key: 'product',
    title: common.product,
    from: 'md',
    cell: ({ product, product_id }) => (
      <PageLink href={`/products/${product_id}`} size="sm">
        {product}
      </PageLink>
    ),
  },
  { key: 'tag', title: common.tag, from: 'lg', cell: ({ tag }) => tag && <StateBadge state={tag} /> },
  { key: 'user', title: t.claimedBy, from: 'lg', cell: ({ user }) => user ?? t.nobody },
  {
    key: 'mac',
    title: t.wiFiAddress,
    from: 'chosen',
    cell: ({ mac, title }) => mac !== null && <Code value={mac} label={t.macAddressOf(title)} />,
  },
  {
    key: 'uuid',
    title: t.hardwareUuid,
    sort: 'uuid',
    from: 'chosen',
    cell: ({ uuid, title }) => <Code value={uuid} label={t.uuidOf(title)} />,
  },
  { key: 'platform', title: common.platform, from: 'chosen', cell: ({ platform }) => platform },
  { key: 'ip', title: common.address, from: 'chosen', cell: ({ ip }) => ip },
  { key: 'created', title: t.provisioned, sort: 'created_at', from: 'chosen', cell: momentOf('created_at') },
];
