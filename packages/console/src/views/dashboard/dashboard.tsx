import { Button, Grid, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/dashboard.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded, Loading } from '../../ui/states.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';
import { keyOfTile, type parts, type Tile } from '../tiles/layout.ts';
import { useDashboard } from '../tiles/use-dashboard.ts';
import { FirstSteps } from './first-steps.tsx';
import { Fleet } from './fleet.tsx';
import { cellAt, placesRenewMs } from './places.ts';
import { RecentLog } from './recent-log.tsx';
import { UpdatesOverTime } from './updates.tsx';

const Arrange = lazyPart(() => import('./arrange.tsx'));
const DeviceMap = lazyPart(() => import('./device-map.tsx'));
const StreamTile = lazyPart(() => import('./stream-tile.tsx'));

/** What a map takes about, in pixels. */
const mapHeight = 260;

function FleetSummary() {
  const query = useCall('fleet.summary', { query: {} });
  // As high as what comes, so that nothing below is in sight before its time.
  if (query.isPending) return <Skeleton h={{ base: 600, sm: 480, lg: 240 }} />;
  return <Loaded query={query}>{({ value }) => <Fleet fleet={value} />}</Loaded>;
}

/** Where devices are: the map comes when there is something to show on it. */
function Places() {
  const query = useCall('metrics.places', { query: { cell: cellAt(0) } }, { everyMs: placesRenewMs, slow: true });
  return (
    <Loaded query={query}>
      {({ value }) =>
        value.length === 0 ? (
          <Muted>{t.noDeviceHasLocationYet}</Muted>
        ) : (
          <Suspense fallback={<Skeleton height={mapHeight} />}>
            <DeviceMap />
          </Suspense>
        )
      }
    </Loaded>
  );
}

const PlacesOfDevices = () => (
  <Card title={t.whereDevicesAre} fill>
    <WhenSeen height={mapHeight}>
      <Places />
    </WhenSeen>
  </Card>
);

/** What each part shows, and how many of twelve columns of a wide window it takes. */
const partViews: Readonly<Record<(typeof parts)[number], { readonly view: () => ReactNode; readonly span: number }>> = {
  steps: { view: FirstSteps, span: 12 },
  fleet: { view: FleetSummary, span: 12 },
  updates: { view: UpdatesOverTime, span: 12 },
  map: { view: PlacesOfDevices, span: 7 },
  log: { view: RecentLog, span: 5 },
};

function TileView({ tile }: { readonly tile: Tile }) {
  if ('part' in tile) {
    const { view: View, span } = partViews[tile.part];
    return (
      <Grid.Col span={{ base: 12, lg: span }} className="dashboard-tile">
        <View />
      </Grid.Col>
    );
  }
  return (
    <Grid.Col span={{ base: 12, lg: 6 }} className="dashboard-tile">
      <Suspense fallback={<Skeleton height={260} />}>
        <StreamTile deviceId={tile.device} name={tile.stream} />
      </Suspense>
    </Grid.Col>
  );
}

/** How everything is, at a glance, in the order of the user. */
export default function Dashboard() {
  const { tiles, save } = useDashboard();
  const arrange = (shown: readonly Tile[]): void =>
    openDialog({ title: t.arrangeDashboard }, (close) => (
      <Suspense fallback={<Loading />}>
        <Arrange tiles={shown} onSave={(next) => save(next).then(close)} />
      </Suspense>
    ));
  return (
    <Page
      title={t.dashboard}
      actions={
        tiles && (
          <Button variant="default" onClick={() => arrange(tiles)}>
            {t.arrange}
          </Button>
        )
      }
    >
      <Grid>
        {tiles
          ?.filter(({ hidden }) => !hidden)
          .map((tile) => (
            <TileView key={keyOfTile(tile)} tile={tile} />
          ))}
      </Grid>
    </Page>
  );
}
