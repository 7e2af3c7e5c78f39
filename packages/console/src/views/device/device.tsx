import { Box, Group, Tabs } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin, useSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as scan } from '../../texts/scan.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { TabList } from '../../ui/tab-list.tsx';
import type { ViewProps } from '../view-props.ts';
import { DeviceLiveProvider } from './device-live.tsx';
import { healthWords } from './device-state.ts';
import { ModuleLine } from './module-line.tsx';
import { type DeviceTab, tabs } from './tabs.ts';
import { UpdateNow } from './update-now.tsx';

function Marks({ device }: { readonly device: DeviceRecord }) {
  return (
    <Group gap={6} role="status" aria-label={t.stateOfDevice}>
      <StateBadge state={healthWords[device.health]} />
      {device.tag && <StateBadge state={device.tag} />}
    </Group>
  );
}

function Tab({ tab: { key, view: View }, device }: { readonly tab: DeviceTab; readonly device: DeviceRecord }) {
  return (
    <Tabs.Panel value={key} pt="md">
      <ErrorBoundary key={key}>
        <Suspense fallback={<Loading />}>
          <View device={device} />
        </Suspense>
      </ErrorBoundary>
    </Tabs.Panel>
  );
}

function DeviceTabs({
  device,
  offered,
  shown,
  base,
}: {
  readonly device: DeviceRecord;
  readonly offered: readonly DeviceTab[];
  readonly shown: string;
  readonly base: string;
}) {
  const [, navigate] = useLocation();
  return (
    // Tabs are opened by Enter, not by walking over them: each asks the service for something.
    <Tabs
      value={shown}
      onChange={(key) => key !== null && navigate(key === 'overview' ? base : `${base}/${key}`)}
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <TabList label={t.partsOfDevice} shown={shown}>
        {offered.map(({ key, title, icon: Icon }) => (
          <Tabs.Tab
            key={key}
            value={key}
            px={{ base: 'xs', sm: 'sm' }}
            leftSection={
              <Box component="span" visibleFrom="sm" display="flex">
                <Icon size={16} aria-hidden />
              </Box>
            }
          >
            {title}
          </Tabs.Tab>
        ))}
      </TabList>
      {offered.map((tab) => (
        <Tab key={tab.key} tab={tab} device={device} />
      ))}
    </Tabs>
  );
}

/** What may be done about a device that is not to be seen: a label leads here before its device is anybody's. */
const HowToClaim = () => (
  <Empty title={scan.isItNobodys}>
    {scan.claimIt}
    <ModuleLine line={`dms claim ${useSession().username} <password>`} />
  </Empty>
);

const crumbs = [{ title: common.devices, href: '/devices' }];

interface PartsProps {
  readonly device: DeviceRecord;
  readonly shown: string;
  readonly base: string;
}

function Parts({ device, shown, base }: PartsProps) {
  const admin = useIsAdmin();
  const offered = tabs.filter(({ offeredTo }) => admin || offeredTo === undefined || offeredTo(device));
  return offered.some(({ key }) => key === shown) ? (
    <DeviceTabs device={device} offered={offered} shown={shown} base={base} />
  ) : (
    <Empty title={t.thereIsNoSuchPart} action={<PageLink href={base}>{t.toOverview}</PageLink>} />
  );
}

/** One device: what it is, what it does, and what can be done with it. */
export default function Device({ params: { id = '', tab = 'overview' } }: ViewProps) {
  const query = useCall('devices.get', { params: { identifier: id } });
  const base = `/devices/${encodeURIComponent(id)}`;
  return (
    <LoadedPage query={query} noun={nouns.device} crumbs={crumbs} missing={<HowToClaim />}>
      {({ value: device }) => (
        <DeviceLiveProvider deviceId={device.id}>
          <Page
            title={device.title}
            mark={<Marks device={device} />}
            description={
              <Group gap="sm">
                <PageLink href={`/products/${device.product_id}`} inherit>
                  {device.product}
                </PageLink>
                <span>{device.version ?? t.noVersionReported}</span>
                <span>
                  {t.seen} <Moment at={device.last_seen_at} />
                </span>
              </Group>
            }
            crumbs={crumbs}
            actions={device.role !== 'tester' && <UpdateNow device={device} />}
          >
            <Parts device={device} shown={tab} base={base} />
          </Page>
        </DeviceLiveProvider>
      )}
    </LoadedPage>
  );
}
