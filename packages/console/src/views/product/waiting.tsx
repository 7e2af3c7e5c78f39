import { Button, Code, Group, Stack, TextInput } from '@mantine/core';
import type { WaitingRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import type { TabProps } from './tab-props.ts';

/** How often the list is asked for again, in ms: no event tells of strangers. */
const renewMs = 10_000;

const filterNames = ['q'] as const;

type Decide = (accept: boolean, row?: WaitingRecord) => void;

const columnsFor = (decide: Decide): readonly Column<WaitingRecord>[] => [
  { key: 'name', title: t.name, cell: ({ name }) => name },
  { key: 'proof', title: t.proof, from: 'sm', cell: ({ proof }) => <Code>{proof}</Code> },
  { key: 'ip', title: t.address, from: 'md', cell: ({ ip }) => ip },
  { key: 'first', title: t.first, from: 'md', cell: momentOf('first_at') },
  { key: 'last', title: t.last, cell: momentOf('last_at') },
  {
    key: 'actions',
    title: t.actions,
    cell: (row) => (
      <Group gap={4}>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.letInName(row.name)}
          onClick={() => decide(true, row)}
        >
          {t.letIn}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.sendAwayName(row.name)}
          onClick={() => decide(false, row)}
        >
          {t.sendAway}
        </Button>
      </Group>
    ),
  },
];

/** Devices that have knocked at a door of the product and that nothing speaks for. */
export default function Waiting({ product }: TabProps) {
  const list = useListAddress('Waiting to be let in', filterNames);
  const params = { product_id: product.id };
  const { q } = list.filters;
  const query = { limit: list.limit, offset: list.offset, ...(q !== undefined && { q }) };
  const waiting = useCall('doors.waiting', { params, query }, { keepPrevious: true, everyMs: renewMs });
  const decide = useChange('doors.decide', 'doors', 'devices');
  const run = async (accept: boolean, row?: WaitingRecord): Promise<void> => {
    const { done, refused } = await decide.mutateAsync({ params, body: { accept, ...(row && { ids: [row.id] }) } });
    if (done > 0) notify(t.decided(plural(done, nouns.device)));
    if (refused.length > 0) notifyError(new Error(t.refused(plural(refused.length, nouns.device))));
  };
  const total = waiting.data?.total ?? 0;
  const askAll = (): void =>
    confirm({
      title: t.letAllInTitle(plural(total, nouns.device)),
      body: t.letAllInBody,
      action: t.letIn,
      run: () => run(true),
    });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted maw={560}>{t.whatWaitingIs}</Muted>
        <Button variant="default" onClick={askAll} disabled={total === 0 || q !== undefined}>
          {t.letAllIn}
        </Button>
      </Group>
      <TextInput
        aria-label={t.name}
        placeholder={t.name}
        w={240}
        value={q ?? ''}
        onChange={(event) => list.setFilter('q', event.currentTarget.value || undefined)}
      />
      <DataTable
        label={t.waiting}
        noun={nouns.device}
        columns={columnsFor((accept, row) => void run(accept, row).catch(notifyError))}
        query={waiting}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noneWaits}>{t.noneWaitsHint}</Empty>}
      />
    </Stack>
  );
}
