import { Grid, Skeleton, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/dashboard.ts';
import { Card } from '../../ui/card.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Fleet } from './fleet.tsx';
import { RecentLog } from './recent-log.tsx';
import { UpdatesOverTime } from './updates.tsx';

/** Its outline of the world is as large as the rest of the page. */
const DeviceMap = lazyPart(() => import('./device-map.tsx'));

function FleetSummary() {
  const query = useCall('fleet.summary', { query: {} });
  return <Loaded query={query}>{({ value }) => <Fleet fleet={value} />}</Loaded>;
}

/** How everything is, at a glance. */
export default function Dashboard() {
  return (
    <Page title={t.dashboard}>
      <Stack gap="md">
        <FirstSteps />
        <FleetSummary />
        <UpdatesOverTime />
        <Grid>
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Card title={t.whereDevicesAre} fill>
              <Suspense fallback={<Skeleton height={260} />}>
                <DeviceMap />
              </Suspense>
            </Card>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <RecentLog />
          </Grid.Col>
        </Grid>
      </Stack>
    </Page>
  );
}
