import { Group } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin, useSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as scan } from '../../texts/scan.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { PageTabs, sectionAt } from '../../ui/page-tabs.tsx';
import { Empty } from '../../ui/states.tsx';
import type { ViewProps } from '../view-props.ts';
import { DeviceLiveProvider } from './device-live.tsx';
import { healthWords } from './device-state.ts';
import { ModuleLine } from './module-line.tsx';
import { deviceTabs, sections } from './tabs.ts';
import { UpdateNow } from './update-now.tsx';

function Marks({ device }: { readonly device: DeviceRecord }) {
  return (
    <Group gap={6} role="status" aria-label={t.stateOfDevice}>
      <StateBadge state={healthWords[device.health]} />
      {device.tag && <StateBadge state={device.tag} />}
    </Group>
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
  const offered = sections.filter(({ offeredTo }) => admin || offeredTo === undefined || offeredTo(device));
  const section = sectionAt(offered, shown);
  return section ? (
    <PageTabs label={t.partsOfDevice} groups={deviceTabs} offered={offered} shown={section} base={base}>
      {(View) => <View device={device} />}
    </PageTabs>
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
