import { Anchor, Box, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { FleetRecord } from '@moorage/api';
import { Link } from 'wouter';
import { formatCount, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Empty } from '../../ui/states.tsx';

interface Slice {
  readonly label: string;
  readonly count: number;
  readonly colour: string;
  /** The list that shows these devices. */
  readonly href?: string;
}

/** A whole and its parts as one bar, and each part with its number. */
function Parts({ label, slices }: { readonly label: string; readonly slices: readonly Slice[] }) {
  const total = slices.reduce((sum, { count }) => sum + count, 0);
  return (
    <Box>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <Progress.Root size="lg" mb="xs" aria-hidden>
        {slices
          .filter(({ count }) => count > 0)
          .map(({ label: name, count, colour }) => (
            <Progress.Section key={name} value={(100 * count) / total} color={colour} />
          ))}
      </Progress.Root>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xs">
        {slices.map(({ label: name, count, colour, href }) => (
          <Stack key={name} gap={0}>
            <Group gap={6} wrap="nowrap">
              <Box w={10} h={10} bg={colour} style={{ borderRadius: 3 }} aria-hidden />
              <Text size="xs" c="dimmed">
                {name}
              </Text>
            </Group>
            {href === undefined ? (
              <Text fw={700} size="lg">
                {formatCount(count)}
              </Text>
            ) : (
              <Anchor
                component={Link}
                href={href}
                fw={700}
                size="lg"
                aria-label={`${plural(count, 'device')}: ${name}`}
              >
                {formatCount(count)}
              </Anchor>
            )}
          </Stack>
        ))}
      </SimpleGrid>
    </Box>
  );
}

const devicesWhere = (query: string): string => `/devices?${query}`;

/** How many devices are in which state, and how their last update went. */
export function FleetStates({ fleet: { total, states, updates } }: { readonly fleet: FleetRecord }) {
  if (total === 0) return <Empty title="No devices yet">Their states are shown here once you have some.</Empty>;
  const byState: readonly Slice[] = [
    { label: 'active', count: states.active, colour: 'teal.7', href: devicesWhere('state=active') },
    { label: 'never seen', count: states.enabled, colour: 'blue.6', href: devicesWhere('state=enabled') },
    { label: 'blocked', count: states.disabled, colour: 'red.7', href: devicesWhere('state=disabled') },
  ];
  const byUpdate: readonly Slice[] = [
    { label: 'up to date', count: updates.ok, colour: 'teal.7', href: devicesWhere('updated=ok') },
    { label: 'updating', count: updates.outdated, colour: 'blue.6', href: devicesWhere('updated=outdated') },
    { label: 'failed', count: updates.failed, colour: 'red.7', href: devicesWhere('updated=failed') },
    { label: 'none offered', count: updates.none, colour: 'gray.5' },
  ];
  return (
    <Stack gap="lg">
      <Parts label={plural(total, 'device')} slices={byState} />
      <Parts label="Last update" slices={byUpdate} />
    </Stack>
  );
}

/** Versions that are listed; the rest is one line. */
const listedVersions = 8;

/** Which versions run, and on how many devices. */
export function FleetVersions({ fleet: { total, versions } }: { readonly fleet: FleetRecord }) {
  if (versions.length === 0)
    return <Empty title="No devices yet">What they run is shown here once they have told.</Empty>;
  const shown = versions.slice(0, listedVersions);
  const others = total - shown.reduce((sum, { devices }) => sum + devices, 0);
  return (
    <Stack gap="sm">
      {shown.map(({ product_id, product, version, devices }) => (
        <Box key={`${product_id} ${version}`}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <PageLink href={`/products/${product_id}`}>{product}</PageLink>{' '}
              <Text span fw={600}>
                {version ?? 'no version told'}
              </Text>
            </Text>
            <Text size="sm">{plural(devices, 'device')}</Text>
          </Group>
          <Progress value={(100 * devices) / total} color="cyan.9" size="sm" aria-hidden />
        </Box>
      ))}
      {others > 0 && (
        <Text size="sm" c="dimmed">
          and {plural(others, 'device')} with other versions
        </Text>
      )}
    </Stack>
  );
}
