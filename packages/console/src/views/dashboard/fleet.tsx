import {
  Anchor,
  Box,
  Center,
  Grid,
  Group,
  Progress,
  parseThemeColor,
  Stack,
  Text,
  useMantineTheme,
} from '@mantine/core';
import { type FleetRecord, healthStates, standingStates } from '@moorage/api';
import { Link } from 'wouter';
import { t } from '../../texts/dashboard.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { formOf } from '../../texts/language.ts';
import { nouns } from '../../texts/nouns.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Empty } from '../../ui/states.tsx';
import { healthWords, standingWords } from '../device/device-state.ts';
import { shareText } from './share.ts';

interface Slice {
  readonly label: string;
  readonly count: number;
  readonly colour: string;
  /** The list that shows these devices. */
  readonly href?: string;
}

const devicesWhere = (query: string): string => `/devices?${query}`;

const healthColours = {
  connected: 'teal.8',
  on_time: 'teal.5',
  late: 'orange.5',
  silent: 'red.7',
  never: 'blue.6',
  blocked: 'gray.6',
} as const;

const healthOf = ({ health }: FleetRecord): readonly Slice[] =>
  healthStates.map((word) => ({
    label: stateName(healthWords[word]),
    count: health[word],
    colour: healthColours[word],
    href: devicesWhere(`health=${word}`),
  }));

const standingColours = {
  up_to_date: 'teal.7',
  waiting: 'orange.5',
  updating: 'blue.6',
  failed: 'red.7',
  unknown: 'gray.5',
} as const;

const standingsOf = ({ standings }: FleetRecord): readonly Slice[] =>
  standingStates.map((standing) => ({
    label: stateName(standingWords[standing]),
    count: standings[standing],
    colour: standingColours[standing],
    href: devicesWhere(`standing=${standing}`),
  }));

interface RingProps {
  readonly slices: readonly Slice[];
  readonly total: number;
  /** In the middle: a figure, and what it is. */
  readonly figure: string;
  readonly what: string;
}

/** A circle of this radius, in pixels, which the edges of the ring are on both sides of. */
const radius = 60;

/** Drawn here: the library's own brings all that places bubbles along, which is more than the rest of the page. */
function Ring({ slices, total, figure, what }: RingProps) {
  const theme = useMantineTheme();
  const before = (index: number): number => slices.slice(0, index).reduce((sum, { count }) => sum + count, 0);
  return (
    <Center className="ring">
      <svg viewBox="-68 -68 136 136" aria-hidden>
        <circle r={radius} />
        {slices.map(({ label, count, colour }, index) => (
          <circle
            key={label}
            r={radius}
            pathLength={total}
            strokeDasharray={`${count} ${total}`}
            strokeDashoffset={-before(index)}
            style={{ stroke: parseThemeColor({ color: colour, theme }).value }}
          />
        ))}
      </svg>
      <Stack gap={0} align="center">
        <Text fw={700} size="lg" lh={1.2} className="figure">
          {figure}
        </Text>
        <Text size="xs" c="dimmed" lh={1.2}>
          {what}
        </Text>
      </Stack>
    </Center>
  );
}

function Count({ slice: { count, label, href } }: { readonly slice: Slice }) {
  if (href === undefined) return <Text fw={600}>{formatCount(count)}</Text>;
  return (
    <Anchor component={Link} href={href} fw={600} aria-label={`${plural(count, nouns.device)}: ${label}`}>
      {formatCount(count)}
    </Anchor>
  );
}

/** A whole and its parts as a ring, and each part with its number. */
function Parts({ label, ...ring }: RingProps & { readonly label: string }) {
  return (
    <Group gap="md" wrap="nowrap" justify="space-between">
      <Ring {...ring} />
      <Box component="table" aria-label={label} flex={1} maw={260}>
        <tbody>
          {ring.slices.map((slice) => (
            <tr key={slice.label}>
              <td>
                <Group gap={8} wrap="nowrap">
                  <Box w={10} h={10} miw={10} bg={slice.colour} style={{ borderRadius: 3 }} aria-hidden />
                  <Text size="sm">{slice.label}</Text>
                </Group>
              </td>
              <Box component="td" ta="right">
                <Count slice={slice} />
              </Box>
            </tr>
          ))}
        </tbody>
      </Box>
    </Group>
  );
}

/** Versions that are listed; the rest is one line. */
const listedVersions = 5;

/** Which versions run, and on how many devices. */
function Versions({ fleet: { total, versions } }: { readonly fleet: FleetRecord }) {
  const shown = versions.slice(0, listedVersions);
  const others = total - shown.reduce((sum, { devices }) => sum + devices, 0);
  return (
    <Stack gap="sm">
      {shown.map(({ product_id, product, version, devices }) => (
        <Box key={`${product_id} ${version}`}>
          <Group justify="space-between" gap="xs" align="baseline" wrap="nowrap">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <Text span fw={600} inherit>
                {version ?? t.noVersionReported}
              </Text>{' '}
              <PageLink href={`/products/${product_id}`} inherit>
                {product}
              </PageLink>
            </Text>
            <Text size="sm" className="figure" style={{ whiteSpace: 'nowrap' }}>
              {plural(devices, nouns.device)}
            </Text>
          </Group>
          <Progress value={(100 * devices) / total} color="cyan.9" size={6} mt={4} aria-hidden />
        </Box>
      ))}
      {others > 0 && <Muted>{t.andWithOtherVersions(plural(others, nouns.device))}</Muted>}
    </Stack>
  );
}

/** How many devices are in which state, whether they run what they should, and what they run. */
export function Fleet({ fleet }: { readonly fleet: FleetRecord }) {
  const { total, standings } = fleet;
  const span = { base: 12, sm: 6, lg: 4 };
  if (total === 0) {
    return (
      <Card title={t.devicesByState}>
        <Empty title={t.noDevicesYet}>{t.theirStatesUpdatesAndVersions}</Empty>
      </Card>
    );
  }
  return (
    <Grid>
      <Grid.Col span={span}>
        <Card title={t.devicesByState} fill>
          <Parts
            label={t.devicesByState}
            slices={healthOf(fleet)}
            total={total}
            figure={formatCount(total)}
            what={formOf(total, nouns.device)}
          />
        </Card>
      </Grid.Col>
      <Grid.Col span={span}>
        <Card title={t.updates} fill>
          <Parts
            label={t.howDevicesStandToWhat}
            slices={standingsOf(fleet)}
            total={total}
            figure={shareText(standings.up_to_date, total)}
            what={stateName('up to date')}
          />
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }}>
        <Card title={t.versionsAcrossFleet} fill>
          <Versions fleet={fleet} />
        </Card>
      </Grid.Col>
    </Grid>
  );
}
