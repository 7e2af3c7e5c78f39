import { Button, Code, FileButton, Group, Stack } from '@mantine/core';
import type { DoorKeyRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { parseCsv } from '../devices/csv.ts';
import type { TabProps } from './tab-props.ts';

/** The keys of a CSV text whose first row names its columns; nothing where those are not there. */
function keysOf(text: string): { name: string; key: string }[] | undefined {
  const [head = [], ...rows] = parseCsv(text);
  const columns = head.map((name) => name.toLowerCase());
  const [name, key] = [columns.indexOf('name'), columns.indexOf('key')];
  if (name < 0 || key < 0) return undefined;
  return rows.map((row) => ({ name: row[name] ?? '', key: row[key] ?? '' }));
}

const columnsFor = (takeBack: (row: DoorKeyRecord) => void): readonly Column<DoorKeyRecord>[] => [
  { key: 'name', title: t.name, sort: 'name', cell: ({ name }) => name },
  { key: 'proof', title: t.proof, from: 'sm', cell: ({ proof }) => <Code>{proof}</Code> },
  { key: 'made', title: t.made, from: 'sm', cell: momentOf('created_at') },
  {
    key: 'actions',
    title: t.actions,
    cell: (row) => (
      <Button size="compact-sm" variant="default" aria-label={t.takeBackName(row.name)} onClick={() => takeBack(row)}>
        {t.takeBack}
      </Button>
    ),
  },
];

/** Public keys that are accepted before their devices come. */
export default function DoorKeys({ product }: TabProps) {
  const params = { product_id: product.id };
  const list = useListAddress('Keys accepted beforehand');
  const keys = useCall('doors.keys', { params, query: pageOf<'name'>(list) }, { keepPrevious: true });
  const add = useChange('doors.addKeys', 'doors');
  const remove = useChange('doors.removeKey', 'doors');
  const choose = async (file: File | null): Promise<void> => {
    if (!file) return;
    const read = keysOf(await file.text());
    if (!read) throw new Error(t.keysWanted);
    const { done, refused } = await add.mutateAsync({ params, body: { keys: read } });
    if (done > 0) notify(t.keysAdded(plural(done, nouns.device)));
    if (refused.length > 0) notifyError(new Error(t.refused(plural(refused.length, nouns.device))));
  };
  const takeBack = async (row: DoorKeyRecord): Promise<void> => {
    await remove.mutateAsync({ params: { ...params, key_id: row.id } });
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted maw={560}>{t.whatKeysAre}</Muted>
        <FileButton accept=".csv,text/csv" onChange={(file) => void choose(file).catch(notifyError)}>
          {(props) => (
            <Button {...props} variant="default" loading={add.isPending}>
              {t.chooseKeys}
            </Button>
          )}
        </FileButton>
      </Group>
      <DataTable
        label={t.keys}
        noun={nouns.device}
        columns={columnsFor((row) => void takeBack(row).catch(notifyError))}
        query={keys}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noKey}>{t.noKeyHint}</Empty>}
      />
    </Stack>
  );
}
