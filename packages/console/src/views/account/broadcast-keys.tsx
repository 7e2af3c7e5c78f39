import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { BroadcastKeyRecord } from '@moorage/api';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openMade } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';

/** What is typed at a module so that it posts its status here. */
const commandFor = (key: string): string =>
  `set broadcast.http.host ${window.location.origin}/api/broadcasts/${encodeURIComponent(key)}`;

const Made = ({ made, onClose }: { readonly made: BroadcastKeyRecord; readonly onClose: () => void }) => (
  <ShownOnce what={t.key} advice={t.copyItNowWhoeverHas} onClose={onClose}>
    <Field label={t.key2} value={made.key} mono />
    <Field label={t.toBeTypedAtEach} value={commandFor(made.key)} mono />
  </ShownOnce>
);

function NewKey({ onMade }: { readonly onMade: (made: BroadcastKeyRecord) => void }) {
  const create = useChange('broadcasts.create', 'broadcasts');
  const [title, setTitle] = useState('');
  const make = async (): Promise<void> => {
    onMade(await create.mutateAsync({ body: title.trim() === '' ? {} : { title: title.trim() } }));
  };
  return (
    <Form submit={t.makeKey} onSubmit={make}>
      <TextInput
        label={common.title}
        description={t.whichModulesItIsFor}
        maxLength={100}
        data-autofocus
        {...bindText(title, setTitle)}
      />
    </Form>
  );
}

const openNewKey = () =>
  openMade<BroadcastKeyRecord>(
    { form: t.newKey, made: t.key },
    (onMade) => <NewKey onMade={onMade} />,
    (made, close) => <Made made={made} onClose={close} />,
  );

function Revoke({ record: { id, title } }: { readonly record: BroadcastKeyRecord }) {
  const revoke = useChange('broadcasts.revoke', 'broadcasts');
  const ask = (): void =>
    confirm({
      title: t.revokeKey(title),
      body: t.modulesThatPostWithIt,
      action: t.revoke,
      destructive: true,
      run: () => revoke.mutateAsync({ params: { broadcast_id: id } }),
      done: t.keyIsRevoked(title),
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={t.revokeTitle(title)}>
      {t.revoke}
    </Button>
  );
}

const columns: readonly Column<BroadcastKeyRecord>[] = [
  { key: 'title', title: common.title, cell: ({ title }) => title },
  {
    key: 'tail',
    title: t.endsIn,
    from: 'sm',
    cell: ({ key }) => (
      <Text ff="monospace" size="sm">
        …{key}
      </Text>
    ),
  },
  { key: 'made', title: common.made, sort: 'created_at', from: 'sm', cell: momentOf('created_at') },
  { key: 'used', title: t.lastUsed, cell: momentOf('last_used_at') },
  { key: 'actions', title: common.actions, cell: (record) => <Revoke record={record} /> },
];

/** Keys with which modules post their status by HTTP, to be seen as their telemetry. */
export function BroadcastKeys() {
  const list = useListAddress('Keys for status broadcasts');
  const query = pageOf<'created_at'>(list);
  const keys = useCall('broadcasts.list', { query }, { keepPrevious: true });
  return (
    <Stack>
      <Group justify="space-between">
        <Muted maw={600}>{t.withKeyYourModulesPost}</Muted>
        <Button leftSection={<IconBroadcast size={16} aria-hidden />} onClick={openNewKey}>
          {t.newKey}
        </Button>
      </Group>
      <DataTable
        label={t.keysForStatusBroadcasts}
        noun={nouns.key}
        columns={columns}
        query={keys}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noKeys}>{t.moduleThatHasOneIn}</Empty>}
      />
    </Stack>
  );
}
