import { Button } from '@mantine/core';
import type { DeviceListQuery } from '@moorage/api';
import { IconPlus, IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { t as imports } from '../../texts/import.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as scan } from '../../texts/scan.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Empty } from '../../ui/states.tsx';
import { useAskedFor } from '../../ui/use-asked-for.ts';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { BulkBar } from './bulk.tsx';
import type { Target } from './bulk-jobs.ts';
import { deviceColumns } from './columns.tsx';
import { deviceQuery } from './device-filter.ts';
import { DeviceFilters, deviceFilters } from './filters.tsx';
import { FoundModules } from './found.tsx';
import { openImport } from './import.tsx';
import { openProvision } from './provision.tsx';
import { openScan } from './scan.tsx';

/** Devices that the user owns or sees through a product. */
export default function Devices() {
  const list = useListAddress('Devices', deviceFilters);
  useAskedFor('new', openProvision);
  const [, navigate] = useLocation();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [everything, setEverything] = useState<string>();
  // Safe: the service checks what an address may hold, and says what is wrong.
  const filters = deviceQuery(list.filters) as DeviceListQuery;
  const query = {
    ...filters,
    ...pageOf(list),
  };
  const found = useCall('devices.list', { query: query as DeviceListQuery }, { keepPrevious: true });
  const total = found.data?.total ?? 0;
  // All of a list means the list as it was filtered then.
  const key = JSON.stringify(filters);
  const isEverything = everything === key;
  const clear = (): void => {
    setMarked(new Set());
    setEverything(undefined);
  };
  const target: Target = {
    query: filters,
    ids: isEverything ? undefined : [...marked],
    count: isEverything ? total : marked.size,
  };
  const shown = found.data?.value ?? [];
  return (
    <Page
      title={common.devices}
      actions={
        <>
          <SavedViews list={list} page="devices" />
          <Button
            variant="default"
            leftSection={<IconQrcode size={16} aria-hidden />}
            onClick={() => openScan((identifier) => navigate(`/devices/${encodeURIComponent(identifier)}`))}
          >
            {scan.scanCode}
          </Button>
          <Button variant="default" onClick={openImport}>
            {imports.import}
          </Button>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={openProvision}>
            {t.newDevice}
          </Button>
        </>
      }
    >
      <FoundModules />
      <DeviceFilters list={list} />
      {target.count > 0 && <BulkBar target={target} all={total} onAll={() => setEverything(key)} onClear={clear} />}
      <DataTable
        label={common.devices}
        noun={nouns.device}
        columns={deviceColumns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        selection={{
          ids: isEverything ? new Set([...marked, ...shown.map(({ id }) => id)]) : marked,
          set(ids) {
            setEverything(undefined);
            setMarked(ids);
          },
          nameOf: ({ title, uuid }) => title || uuid,
        }}
        empty={
          key === '{}' ? (
            <Empty title={t.youHaveNoDevicesYet} action={<Button onClick={openProvision}>{t.newDevice}</Button>}>
              {t.provisionOneHereClaimOne(<PageLink href="/products">{t.product}</PageLink>)}
            </Empty>
          ) : (
            <Empty title={t.noDeviceFits} action={<Button onClick={list.clear}>{common.clearFilters}</Button>}>
              {t.noneOfYourDevicesFits}
            </Empty>
          )
        }
      />
    </Page>
  );
}
