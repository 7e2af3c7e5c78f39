import { Anchor, Stack, Text } from '@mantine/core';
import { type UpdateRecord, updateStates } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { nouns } from '../../texts/nouns.ts';
import { sayReason } from '../../texts/reasons.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment, momentOf } from '../../ui/moment.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { resultText, updateResults } from './codes.ts';
import { ModuleLine } from './module-line.tsx';
import type { TabProps } from './tab-props.ts';
import { tookText } from './took.ts';
import { UpdateLog } from './update-log.tsx';
import { UpdateCourse } from './update-now.tsx';

const filterNames = ['state'] as const;

function Details({ update }: { readonly update: UpdateRecord }) {
  const advice = update.result === null ? undefined : updateResults[update.result]?.advice;
  return (
    <Stack gap="md">
      <Fields>
        <Field label={common.state}>
          <StateBadge state={update.state} />
        </Field>
        <Field label={t.askedForBy}>{update.cause === 'device' ? t.device : t.bridgingHost}</Field>
        <Field label={t.result}>{resultText(update.result)}</Field>
        <Field label={t.offered}>
          <Moment at={update.created_at} />
        </Field>
        <Field label={t.downloading}>
          <Moment at={update.downloading_at} none="—" />
        </Field>
        <Field label={t.installed}>
          <Moment at={update.installed_at} none="—" />
        </Field>
        <Field label={t.finished}>
          <Moment at={update.finished_at} none="—" />
        </Field>
      </Fields>
      {update.reason && <Text size="sm">{t.why(sayReason(update.reason))}</Text>}
      {advice && <Text size="sm">{t.whatToDo(advice)}</Text>}
      <Stack component="dl" gap="sm" m={0}>
        <Field label={t.hasToReport} value={update.bversion} mono />
        <Field label={t.reportedBefore} value={update.from_bversion} mono />
        <Field label={t.bundleId} value={update.bundle_id} mono />
      </Stack>
      {update.bundle_id && <PageLink href={`/bundles/${update.bundle_id}`}>{t.toBundle}</PageLink>}
      <UpdateLog deviceId={update.device_id} updateId={update.id} />
    </Stack>
  );
}

const columnsWith = (show: (update: UpdateRecord) => void): readonly Column<UpdateRecord>[] => [
  {
    key: 'bundle',
    title: t.toVersion,
    cell: (update) => (
      <Anchor inherit component="button" type="button" ta="left" onClick={() => show(update)}>
        {update.bundle}
      </Anchor>
    ),
  },
  { key: 'state', title: common.state, cell: ({ state }) => <StateBadge state={state} /> },
  { key: 'began', title: t.offered, sort: 'id', cell: momentOf('created_at') },
  { key: 'took', title: t.took, from: 'sm', cell: tookText },
  {
    key: 'result',
    title: t.result,
    from: 'sm',
    cell: ({ result, reason }) => (reason === null ? resultText(result) : sayReason(reason)),
  },
  {
    key: 'cause',
    title: t.askedBy,
    from: 'md',
    cell: ({ cause }) => (cause === 'device' ? t.byDevice : t.bridgingHost2),
  },
];

/** Every update of the device: from what to what, how far it came, and why it failed. It follows by itself. */
export default function Updates({ device }: TabProps) {
  const [shownId, setShownId] = useState<number>();
  const list = useListAddress('Updates of the device', filterNames);
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
      <UpdateCourse device={device} />
      <ChoiceFilter
        list={list}
        name="state"
        label={t.stateOfUpdate}
        any={t.allStates}
        choices={updateStates.map((value) => ({ value, label: stateName(value) }))}
        width={200}
      />
      <DataTable
        label={t.updatesOfDevice}
        noun={nouns.update}
        columns={columnsWith(({ id }) => setShownId(id))}
        query={query}
        list={list}
        idOf={({ id }) => String(id)}
        empty={
          <Empty title={state ? t.noUpdateIs(state) : t.thereHasBeenNoUpdate}>
            {t.moduleAsksForOneWhen}
            <ModuleLine line="ota" />
          </Empty>
        }
      />
      {shown && (
        <Dialog title={t.updateTo(shown.bundle)} size="lg" opened onClose={() => setShownId(undefined)}>
          <Details update={shown} />
        </Dialog>
      )}
    </Stack>
  );
}
