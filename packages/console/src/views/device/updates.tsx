import { Anchor, Select, Stack, Text } from '@mantine/core';
import { type UpdateRecord, updateStates } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { resultText, updateResults } from './codes.ts';
import { ModuleLine } from './module-line.tsx';
import type { TabProps } from './tab-props.ts';
import { tookText } from './took.ts';

const filterNames = ['state'] as const;

function Details({ update }: { readonly update: UpdateRecord }) {
  const advice = update.result === null ? undefined : updateResults[update.result]?.advice;
  return (
    <Stack gap="md">
      <Fields>
        <Field label="State">
          <StateBadge state={update.state} />
        </Field>
        <Field label="Asked for by">{update.cause === 'device' ? 'the device' : 'a bridging host'}</Field>
        <Field label="Result">{resultText(update.result)}</Field>
        <Field label="Offered">
          <Moment at={update.created_at} />
        </Field>
        <Field label="Downloading">
          <Moment at={update.downloading_at} none="—" />
        </Field>
        <Field label="Installed">
          <Moment at={update.installed_at} none="—" />
        </Field>
        <Field label="Finished">
          <Moment at={update.finished_at} none="—" />
        </Field>
      </Fields>
      {update.reason && <Text size="sm">Why: {update.reason}</Text>}
      {advice && <Text size="sm">What to do: {advice}</Text>}
      <Stack component="dl" gap="sm" m={0}>
        <Field label="Has to report" value={update.bversion} mono />
        <Field label="Reported before" value={update.from_bversion} mono />
        <Field label="Bundle id" value={update.bundle_id} mono />
      </Stack>
      {update.bundle_id && <PageLink href={`/bundles/${update.bundle_id}`}>To the bundle</PageLink>}
    </Stack>
  );
}

const columnsWith = (show: (update: UpdateRecord) => void): readonly Column<UpdateRecord>[] => [
  {
    key: 'bundle',
    title: 'To version',
    cell: (update) => (
      <Anchor inherit component="button" type="button" ta="left" onClick={() => show(update)}>
        {update.bundle}
      </Anchor>
    ),
  },
  { key: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { key: 'began', title: 'Offered', sort: 'id', cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'took', title: 'Took', from: 'sm', cell: tookText },
  { key: 'result', title: 'Result', from: 'sm', cell: ({ result, reason }) => reason ?? resultText(result) },
  {
    key: 'cause',
    title: 'Asked by',
    from: 'md',
    cell: ({ cause }) => (cause === 'device' ? 'device' : 'bridging host'),
  },
];

/** Every update of the device: from what to what, how far it came, and why it failed. It follows by itself. */
export default function Updates({ device }: TabProps) {
  const [shownId, setShownId] = useState<number>();
  const list = useListAddress(filterNames);
  const state = updateStates.find((one) => one === list.filters.state);
  const query = useCall(
    'deviceUpdates.list',
    {
      params: { device_id: device.id },
      query: {
        limit: list.limit,
        offset: list.offset,
        sort: list.sort === 'id' ? 'id' : '-id',
        ...(state && { state }),
      },
    },
    { keepPrevious: true },
  );
  // From the list itself: the dialogue follows what happens.
  const shown = query.data?.value.find(({ id }) => id === shownId);
  return (
    <Stack gap="sm">
      <Select
        aria-label="State of the update"
        placeholder="All states"
        data={[...updateStates]}
        value={state ?? null}
        onChange={(next) => list.setFilter('state', next ?? undefined)}
        clearable
        clearButtonProps={{ 'aria-label': 'All states' }}
        w={200}
      />
      <DataTable
        label="Updates of the device"
        noun="update"
        columns={columnsWith(({ id }) => setShownId(id))}
        query={query}
        list={list}
        idOf={({ id }) => String(id)}
        empty={
          <Empty title={state ? `No update is ${state}` : 'There has been no update yet'}>
            A module asks for one when it is told to, or by itself when dms.auto_start_enabled is on:
            <ModuleLine line="ota" />
          </Empty>
        }
      />
      {shown && (
        <Dialog title={`Update to ${shown.bundle}`} size="lg" opened onClose={() => setShownId(undefined)}>
          <Details update={shown} />
        </Dialog>
      )}
    </Stack>
  );
}
