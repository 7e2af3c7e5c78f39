import { Button, Group, Loader, Stack, Table, Text } from '@mantine/core';
import type { AlertRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/alerts.ts';
import { common } from '../../texts/common.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment, momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty, ErrorBox } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { openSilence } from './silence.tsx';

const filterNames = ['state', 'product_id'] as const;

/** How often alerts are asked for where no event tells of them, in ms. */
const renewMs = 15_000;

/** Devices of an alert that are shown at once. */
const shownDevices = 100;

function Devices({ alert }: { readonly alert: AlertRecord }) {
  const input = { params: { alert_id: alert.id }, query: { limit: shownDevices } };
  const query = useCall('alerts.devices', input);
  if (query.error) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loader size="sm" aria-label={t.loadingDevices} />;
  const { value, total = value.length } = query.data;
  return (
    <Stack gap="xs">
      <SmallTable label={t.devicesOfAlert} columns={[common.device, common.since, common.until]}>
        {value.map(({ device_id, device, since, over_at }) => (
          <Table.Tr key={device_id}>
            <Table.Td>
              <PageLink href={`/devices/${device_id}`}>{device}</PageLink>
            </Table.Td>
            <Table.Td>
              <Moment at={since} />
            </Table.Td>
            <Table.Td>
              <Moment at={over_at} none={t.itStillIs} />
            </Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
      {total > value.length && <Text size="sm">{t.firstOfAreShown(value.length, plural(total, nouns.device))}</Text>}
    </Stack>
  );
}

function Acknowledge({ alert }: { readonly alert: AlertRecord }) {
  const change = useChange('alerts.acknowledge', 'alerts');
  if (alert.acknowledged_at !== null)
    return <Muted small>{t.looksAfterIt(alert.acknowledged_by ?? t.deletedUser)}</Muted>;
  if (alert.state === 'over') return null;
  const take = async (): Promise<void> => {
    await change.mutateAsync({ params: { alert_id: alert.id } });
    notify(t.alertIsYoursToLook);
  };
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={change.isPending}
      aria-label={t.acknowledgeRule(alert.rule)}
      onClick={() => void take().catch(notifyError)}
    >
      {t.acknowledge}
    </Button>
  );
}

const columnsFor = (show: (id: string) => void): readonly Column<AlertRecord>[] => [
  {
    key: 'rule',
    title: t.alert,
    cell: (alert) => (
      <>
        {alert.rule}
        <Muted small>{alert.text}</Muted>
      </>
    ),
  },
  { key: 'state', title: common.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: 'devices',
    title: common.devices,
    cell: ({ id, rule, devices, devices_open, state }) => {
      const count = state === 'open' && devices_open !== devices ? t.of(devices_open, devices) : String(devices);
      return (
        <Button size="compact-sm" variant="subtle" aria-label={t.devicesOf(count, rule)} onClick={() => show(id)}>
          {count}
        </Button>
      );
    },
  },
  { key: 'at', title: common.since, sort: 'opened_at', cell: momentOf('opened_at') },
  { key: 'over', title: t.over, from: 'md', cell: ({ over_at }) => <Moment at={over_at} none="—" /> },
  {
    key: 'product',
    title: common.product,
    from: 'md',
    cell: ({ product, product_id }) => (
      <PageLink href={`/products/${product_id}/alerts`} inherit>
        {product}
      </PageLink>
    ),
  },
  {
    key: 'actions',
    title: common.actions,
    cell: (alert) => (
      <Group gap={4}>
        <Acknowledge alert={alert} />
        {alert.state === 'open' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.silenceRule(alert.rule)}
            onClick={() => openSilence({ id: alert.rule_id, title: alert.rule })}
          >
            {t.silence}
          </Button>
        )}
      </Group>
    ),
  },
];

/** What has gone wrong on devices, newest first. */
export default function Alerts() {
  const list = useListAddress('Alerts', filterNames);
  const [shownId, show] = useState<string>();
  const { product_id } = list.filters;
  const state = list.filters.state === 'open' || list.filters.state === 'over' ? list.filters.state : undefined;
  const query = useCall(
    'alerts.list',
    {
      query: {
        limit: list.limit,
        offset: list.offset,
        sort: list.sort === 'opened_at' ? 'opened_at' : '-opened_at',
        ...(state && { state }),
        ...(product_id !== undefined && { product_id }),
      },
    },
    // While a rule is silenced no event tells of its alerts.
    { keepPrevious: true, everyMs: renewMs },
  );
  // From the list itself: the dialogue follows what happens.
  const shown = query.data?.value.find(({ id }) => id === shownId);
  return (
    <Page title={common.alerts} description={t.whatHasGoneWrongOn}>
      <ChoiceFilter
        list={list}
        name="state"
        label={t.stateOfAlert}
        any={t.allAlerts}
        choices={[
          { value: 'open', label: t.open },
          { value: 'over', label: t.over },
        ]}
        width={200}
      />
      <DataTable
        label={common.alerts}
        noun={nouns.alert}
        columns={columnsFor(show)}
        query={query}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.thereIsNoAlert}>{t.rulesAreMadeOnPage}</Empty>}
      />
      {shown && (
        <Dialog title={`${shown.rule}: ${shown.text}`} size="lg" opened onClose={() => show(undefined)}>
          <Devices alert={shown} />
        </Dialog>
      )}
    </Page>
  );
}
