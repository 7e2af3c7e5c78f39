import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { TokenRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [made, setMade] = useState<TokenRecord>();
  const make = async (): Promise<void> => {
    const { value } = await call('tokens.create', {});
    // Shown before it is named: the value would be lost with a name that is refused.
    setMade(value);
    if (title !== '') await call('tokens.rename', { params: { token_id: value.id }, body: { title } });
    await renew('tokens');
  };
  if (!made) {
    return (
      <Form submit="Make the token" onSubmit={make}>
        <TextInput
          label="Title"
          description="What it is for; it gets a number without one"
          maxLength={100}
          data-autofocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </Form>
    );
  }
  return (
    <ShownOnce
      what="The token"
      advice="Copy it now. Whoever has it can do everything that you can; revoke it when it is no longer needed."
      onClose={onClose}
    >
      <Field label="Token" value={made.token} mono />
      <Field label="As a header" value={`Authorization: Bearer ${made.token}`} mono />
    </ShownOnce>
  );
}

function RenameToken({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const [title, setTitle] = useState(token.title);
  const rename = async (): Promise<void> => {
    await call('tokens.rename', { params: { token_id: token.id }, body: { title } });
    await renew('tokens');
    onClose();
  };
  return (
    <Form submit="Rename" disabled={title === ''} onSubmit={rename}>
      <TextInput
        label="Title"
        required
        maxLength={100}
        data-autofocus
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </Form>
  );
}

function openNewToken(): void {
  openDialog({ title: 'New token' }, (close) => <NewToken onClose={close} />);
}

function openRename(token: TokenRecord): void {
  openDialog({ title: `Rename token "${token.title}"` }, (close) => <RenameToken token={token} onClose={close} />);
}

const revoke = (token: TokenRecord): void =>
  confirm({
    title: `Revoke token "${token.title}"?`,
    body:
      token.client === null
        ? 'Every program that uses it is refused from its next request on. This cannot be undone.'
        : 'The login session that uses it ends at once. If it is this one, you have to sign in again.',
    action: 'Revoke',
    destructive: true,
    async run() {
      await call('tokens.revoke', { params: { token_id: token.id } });
      await renew('tokens', 'session');
      notify(`Token "${token.title}" is revoked`);
    },
  });

const columns: readonly Column<TokenRecord>[] = [
  {
    key: 'title',
    title: 'Title',
    sort: 'title',
    cell: ({ title, client }) => (
      <>
        {title}
        {client !== null && (
          <Text size="xs" c="dimmed">
            a login session
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'tail',
    title: 'Ends in',
    from: 'sm',
    cell: ({ token }) => (
      <Text ff="monospace" size="sm">
        …{token}
      </Text>
    ),
  },
  {
    key: 'created',
    title: 'Made',
    sort: 'created_at',
    from: 'sm',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  { key: 'used', title: 'Last used', sort: 'last_used_at', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
  {
    key: 'actions',
    title: 'Actions',
    cell: (token) => (
      <Group gap={4}>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => openRename(token)}
          aria-label={`Rename ${token.title}`}
        >
          Rename
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => revoke(token)} aria-label={`Revoke ${token.title}`}>
          Revoke
        </Button>
      </Group>
    ),
  },
];

const noFilters: readonly string[] = [];

/** Bearer tokens for programs, and the login sessions that are open. */
export function Tokens() {
  const list = useListAddress(noFilters);
  const query = {
    ...(list.sort !== undefined && { sort: list.sort as 'title' }),
    limit: list.limit,
    offset: list.offset,
  };
  const found = useCall('tokens.list', { query }, { keepPrevious: true });
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={600}>
          A token lets a program call the API in your name. Its value is shown once, when it is made.
        </Text>
        <Button onClick={openNewToken}>New token</Button>
      </Group>
      <DataTable
        label="Tokens"
        noun="token"
        columns={columns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="No tokens" />}
      />
    </Stack>
  );
}
