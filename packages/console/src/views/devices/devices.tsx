import { Button } from '@mantine/core';
import type { DeviceListQuery } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { useAskedFor } from '../../ui/use-asked-for.ts';
import { useListAddress } from '../../ui/use-list.ts';
import { BulkBar, type Target } from './bulk.tsx';
import { deviceColumns } from './columns.tsx';
import { DeviceFilters, deviceFilters } from './filters.tsx';
import { openProvision } from './provision.tsx';

/** Devices that the user owns or sees through a product. */
export default function Devices() {
  const list = useListAddress(deviceFilters);
  useAskedFor('new', openProvision);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [everything, setEverything] = useState<string>();
  // Safe: the service checks what an address may hold, and says what is wrong.
  const filters = list.filters as DeviceListQuery;
  const query = {
    ...filters,
    ...(list.sort !== undefined && { sort: list.sort }),
    limit: list.limit,
    offset: list.offset,
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
      title="Devices"
      description="Devices that you own, or that are activated to products you work on."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={openProvision}>
          New device
        </Button>
      }
    >
      <DeviceFilters list={list} />
      {target.count > 0 && <BulkBar target={target} all={total} onAll={() => setEverything(key)} onClear={clear} />}
      <DataTable
        label="Devices"
        noun="device"
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
            <Empty title="You have no devices yet" action={<Button onClick={openProvision}>New device</Button>}>
              Provision one here, claim one from its own command line, or let somebody add you to a{' '}
              <PageLink href="/products">product</PageLink>.
            </Empty>
          ) : (
            <Empty title="No device fits" action={<Button onClick={list.clear}>Clear filters</Button>}>
              None of your devices fits all of these filters.
            </Empty>
          )
        }
      />
    </Page>
  );
}
