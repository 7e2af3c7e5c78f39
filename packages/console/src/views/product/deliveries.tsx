import { SegmentedControl, Stack, Table, Text } from '@mantine/core';
import type { DeliveryRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';

/** No event reports deliveries: while they are shown they are fetched again this often, in ms. */
const renewMs = 3_000;
const shownLimit = 100;

const choices = [
  { value: 'all', label: t.all },
  { value: 'waiting', label: common.waiting },
  { value: 'done', label: common.done },
  { value: 'failed', label: common.failed },
];

const Delivery = ({ delivery }: { readonly delivery: DeliveryRecord }) => (
  <Table.Tr>
    <Table.Td>{delivery.event}</Table.Td>
    <Table.Td>
      <StateBadge state={delivery.state} />
      {delivery.error !== null && (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {delivery.error}
        </Text>
      )}
    </Table.Td>
    <Table.Td visibleFrom="sm">
      {plural(delivery.attempts, nouns.attempt)}
      {delivery.status !== null && t.status(delivery.status)}
    </Table.Td>
    <Table.Td>
      {delivery.state === 'waiting' && delivery.due_at !== null ? (
        <>
          {t.due} <Moment at={delivery.due_at} />
        </>
      ) : (
        <Moment at={delivery.finished_at ?? delivery.created_at} />
      )}
    </Table.Td>
  </Table.Tr>
);

/** What was sent through a connector in the last days, and what waits. */
export function Deliveries({ connectorId }: { readonly connectorId: string }) {
  const [shown, show] = useState('all');
  const state = (['waiting', 'done', 'failed'] as const).find((known) => known === shown);
  const query = useCall(
    'connectors.deliveries',
    { params: { connector_id: connectorId }, query: { limit: shownLimit, ...(state && { state }) } },
    { keepPrevious: true, everyMs: renewMs },
  );
  return (
    <Stack gap="sm">
      <SegmentedControl aria-label={t.stateOfDeliveries} data={choices} value={shown} onChange={show} />
      <Loaded query={query}>
        {({ value, total }) =>
          value.length === 0 ? (
            <Empty title={t.noDeliveries}>{t.theyAreKeptFor7}</Empty>
          ) : (
            <>
              <SmallTable
                label={t.deliveries}
                fits
                columns={[t.event, common.state, { title: t.attempts, from: 'sm' }, t.when]}
              >
                {value.map((delivery) => (
                  <Delivery key={delivery.id} delivery={delivery} />
                ))}
              </SmallTable>
              {(total ?? 0) > value.length && (
                <Muted>{t.newestOfAreShown(value.length, formatCount(total ?? 0))}</Muted>
              )}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
