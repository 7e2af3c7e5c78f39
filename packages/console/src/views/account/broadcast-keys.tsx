import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { BroadcastKeyRecord } from '@moorage/api';
import { IconBroadcast } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';

/** What is typed at a module so that it posts its status here. */
const commandFor = (key: string): string =>
  `set broadcast.http.host ${window.location.origin}/api/broadcasts/${encodeURIComponent(key)}`;

const Made = ({ made, onClose }: { readonly made: BroadcastKeyRecord; readonly onClose: () => void }) => (
  <ShownOnce
    what="The key"
    advice="Copy it now. Whoever has it can post values of your devices, and nothing else."
    onClose={onClose}
  >
    <Field label="Key" value={made.key} mono />
    <Field label="To be typed at each module, with save after it" value={commandFor(made.key)} mono />
  </ShownOnce>
);

function NewKey({ onMade }: { readonly onMade: (made: BroadcastKeyRecord) => void }) {
  const create = useChange('broadcasts.create', 'broadcasts');
  const [title, setTitle] = useState('');
  const make = async (): Promise<void> => {
    onMade(await create.mutateAsync({ body: title.trim() === '' ? {} : { title: title.trim() } }));
  };
  return (
    <Form submit="Make the key" onSubmit={make}>
      <TextInput
        label="Title"
        description="Which modules it is for; it gets a number without one"
        maxLength={100}
        data-autofocus
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </Form>
  );
}

function Revoke({ record: { id, title } }: { readonly record: BroadcastKeyRecord }) {
  const revoke = useChange('broadcasts.revoke', 'broadcasts');
  const ask = (): void =>
    confirm({
      title: `Revoke key "${title}"?`,
      body: 'Modules that post with it are refused from the next post on. The values that they posted stay.',
      action: 'Revoke',
      destructive: true,
      async run() {
        await revoke.mutateAsync({ params: { broadcast_id: id } });
        notify(`Key "${title}" is revoked`);
      },
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={`Revoke ${title}`}>
      Revoke
    </Button>
  );
}

const columns: readonly Column<BroadcastKeyRecord>[] = [
  { key: 'title', title: 'Title', cell: ({ title }) => title },
  {
    key: 'tail',
    title: 'Ends in',
    from: 'sm',
    cell: ({ key }) => (
      <Text ff="monospace" size="sm">
        …{key}
      </Text>
    ),
  },
  { key: 'made', title: 'Made', sort: 'created_at', from: 'sm', cell: (row) => <Moment at={row.created_at} /> },
  { key: 'used', title: 'Last used', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
  { key: 'actions', title: 'Actions', cell: (record) => <Revoke record={record} /> },
];

const noFilters: readonly string[] = [];

/** Keys with which modules post their status by HTTP, to be seen as their telemetry. */
export function BroadcastKeys() {
  const list = useListAddress(noFilters);
  const [opened, dialog] = useDisclosure();
  const [made, setMade] = useState<BroadcastKeyRecord>();
  // Safe: the only column with an order is this one.
  const sort = list.sort as 'created_at' | undefined;
  const query = { limit: list.limit, offset: list.offset, ...(sort !== undefined && { sort }) };
  const keys = useCall('broadcasts.list', { query }, { keepPrevious: true });
  const close = (): void => {
    dialog.close();
    setMade(undefined);
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={600}>
          With a key your modules post their status every few seconds. It is shown as telemetry on the page of the
          device. Until you make one, nobody can post.
        </Text>
        <Button leftSection={<IconBroadcast size={16} aria-hidden />} onClick={dialog.open}>
          New key
        </Button>
      </Group>
      <Dialog title={made ? 'The key' : 'New key'} opened={opened} onClose={close}>
        {made ? <Made made={made} onClose={close} /> : <NewKey onMade={setMade} />}
      </Dialog>
      <DataTable
        label="Keys for status broadcasts"
        noun="key"
        columns={columns}
        query={keys}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="No keys">A module that has one in broadcast.http.host posts its status to this service.</Empty>
        }
      />
    </Stack>
  );
}
