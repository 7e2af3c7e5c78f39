import { Box, Group, Stack, Text } from '@mantine/core';
import type { BundleRecord, FleetRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/bundles.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Adoption, adoptionOf } from './adoption.ts';

const parts = [
  { key: 'running', label: t.runsIt, word: t.runIt, colour: 'var(--mantine-color-teal-6)' },
  { key: 'updating', label: t.updating, word: t.updating2, colour: 'var(--mantine-color-blue-5)' },
  { key: 'waiting', label: t.updateWaiting, word: t.waitingForIt, colour: 'var(--mantine-color-orange-5)' },
  { key: 'failed', label: t.updateFailed, word: t.failed, colour: 'var(--mantine-color-red-6)' },
] as const;

function Key({ colour, children }: { readonly colour: string; readonly children: string }) {
  return (
    <Group gap={6}>
      <Box w={12} h={12} bg={colour} style={{ borderRadius: 3 }} aria-hidden />
      <Text size="xs">{children}</Text>
    </Group>
  );
}

/** The parts of a row that are not empty, in words. */
const rowText = (row: Adoption): string =>
  parts
    .filter(({ key }) => row[key] > 0)
    .map(({ key, word }) => `${formatCount(row[key])} ${word}`)
    .join(', ') || t.noDevice;

/** @param total devices of the product */
function Bar({ row, total }: { readonly row: Adoption; readonly total: number }) {
  const { bundle, version } = row;
  return (
    <Box component="li">
      <Group justify="space-between" gap="xs" mb={4}>
        <Group gap={6}>
          {bundle ? (
            <PageLink href={`/bundles/${bundle.id}`} size="sm">
              {version}
            </PageLink>
          ) : (
            <Text size="sm">{version}</Text>
          )}
          {bundle?.tag && <StateBadge state={bundle.tag} />}
        </Group>
        <Text size="sm">{rowText(row)}</Text>
      </Group>
      <Group
        role="img"
        aria-label={t.bundle(version, rowText(row))}
        gap={0}
        h={14}
        wrap="nowrap"
        bg="var(--mantine-color-default-border)"
        style={{ borderRadius: 4, overflow: 'hidden' }}
      >
        {parts.map(({ key, colour }) => (
          // Counts and devices may have been read at different times: the bar is full at most.
          <Box key={key} h="100%" w={`${Math.min(100, (100 * row[key]) / Math.max(1, total))}%`} bg={colour} />
        ))}
      </Group>
    </Box>
  );
}

interface AdoptionChartProps {
  readonly productId: string;
  readonly bundles: readonly BundleRecord[];
  /** Only this version. */
  readonly version?: string;
}

/** How many devices run each version, and how many are to run it and do not. */
export function AdoptionChart({ productId, bundles, version }: AdoptionChartProps) {
  const query = useCall('fleet.summary', { query: { product_id: productId } });
  return <Loaded query={query}>{({ value }) => <Bars fleet={value} bundles={bundles} only={version} />}</Loaded>;
}

interface BarsProps {
  readonly fleet: FleetRecord;
  readonly bundles: readonly BundleRecord[];
  readonly only: string | undefined;
}

function Bars({ fleet, bundles, only }: BarsProps) {
  const rows = adoptionOf(bundles, fleet).filter(({ version }) => only === undefined || version === only);
  const { unknown } = fleet.standings;
  if (rows.length === 0) {
    return (
      <Empty title={only === undefined ? t.noDeviceRunsBundleYet : t.noDeviceRunsItOr}>
        {t.devicesAreOfferedPublishedBundle}
      </Empty>
    );
  }
  return (
    <Stack gap="sm">
      <Group gap="md">
        {parts.map(({ key, label, colour }) => (
          <Key key={key} colour={colour}>
            {label}
          </Key>
        ))}
      </Group>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {rows.map((row) => (
          <Bar key={row.version} row={row} total={fleet.total} />
        ))}
      </Stack>
      {unknown > 0 && only === undefined && <Muted>{t.unknownWhatRuns(unknown, plural(unknown, nouns.device))}</Muted>}
    </Stack>
  );
}
