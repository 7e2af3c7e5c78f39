import { Box, Group, Stack, Text } from '@mantine/core';
import type { BundleRecord, ProductRecord } from '@moorage/api';
import { StateBadge } from '../../ui/badge.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Adoption, adoptionOf } from './adoption.ts';

const colours = { running: 'var(--mantine-color-teal-6)', pending: 'var(--mantine-color-orange-5)' } as const;

function Key({ colour, children }: { readonly colour: string; readonly children: string }) {
  return (
    <Group gap={6}>
      <Box w={12} h={12} bg={colour} style={{ borderRadius: 3 }} aria-hidden />
      <Text size="xs">{children}</Text>
    </Group>
  );
}

const barText = ({ bundle, running, pending }: Adoption): string =>
  `Bundle ${bundle.version}: ${formatCount(running)} installed, ${formatCount(pending)} not yet`;

function Bar({ row }: { readonly row: Adoption }) {
  const { bundle, running, pending, runningPercent, pendingPercent } = row;
  return (
    <Box component="li">
      <Group justify="space-between" gap="xs" mb={4}>
        <Group gap={6}>
          <PageLink href={`/bundles/${bundle.id}`} size="sm">
            {bundle.version}
          </PageLink>
          {bundle.tag && <StateBadge state={bundle.tag} />}
        </Group>
        <PageLink href={`/products/${bundle.product_id}/devices?bundle_id=${bundle.id}`} size="sm">
          {plural(running, 'device')}
          {pending > 0 && `, ${formatCount(pending)} not yet`}
        </PageLink>
      </Group>
      <Group
        role="img"
        aria-label={barText(row)}
        gap={0}
        h={14}
        wrap="nowrap"
        bg="var(--mantine-color-default-border)"
        style={{ borderRadius: 4, overflow: 'hidden' }}
      >
        <Box h="100%" w={`${runningPercent}%`} bg={colours.running} />
        <Box h="100%" w={`${pendingPercent}%`} bg={colours.pending} />
      </Group>
    </Box>
  );
}

interface AdoptionChartProps {
  readonly product: Pick<ProductRecord, 'device_count'>;
  readonly bundles: readonly BundleRecord[];
}

/** How many devices run each bundle, and how many were offered it and do not run it yet. */
export function AdoptionChart({ product, bundles }: AdoptionChartProps) {
  const { rows, others } = adoptionOf(bundles, product.device_count);
  if (rows.length === 0) {
    return (
      <Empty title="No device has been offered a bundle yet">
        Devices are offered the published bundle that carries their tag.
      </Empty>
    );
  }
  return (
    <Stack gap="sm">
      <Group gap="md">
        <Key colour={colours.running}>Installed</Key>
        <Key colour={colours.pending}>Offered, not installed yet</Key>
      </Group>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {rows.map((row) => (
          <Bar key={row.bundle.id} row={row} />
        ))}
      </Stack>
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {plural(others, 'device')} {others === 1 ? 'has' : 'have'} been offered none of these.
        </Text>
      )}
    </Stack>
  );
}
