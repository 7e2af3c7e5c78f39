import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { TokenRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
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
      <Form submit={t.makeToken} onSubmit={make}>
        <TextInput
          label={common.title}
          description={t.whatItIsForIt}
          maxLength={100}
          data-autofocus
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </Form>
    );
  }
  return (
    <ShownOnce what={t.token} advice={t.copyItNowWhoeverHasIt} onClose={onClose}>
      <Field label={t.token2} value={made.token} mono />
      <Field label={t.asHeader} value={`Authorization: Bearer ${made.token}`} mono />
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
    <Form submit={t.rename} disabled={title === ''} onSubmit={rename}>
      <TextInput
        label={common.title}
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
  openDialog({ title: t.newToken }, (close) => <NewToken onClose={close} />);
}

function openRename(token: TokenRecord): void {
  openDialog({ title: t.renameToken(token.title) }, (close) => <RenameToken token={token} onClose={close} />);
}

const revoke = (token: TokenRecord): void =>
  confirm({
    title: t.revokeToken(token.title),
    body: token.client === null ? t.everyProgramThatUsesIt : t.loginSessionThatUsesIt,
    action: t.revoke,
    destructive: true,
    async run() {
      await call('tokens.revoke', { params: { token_id: token.id } });
      await renew('tokens', 'session');
      notify(t.tokenIsRevoked(token.title));
    },
  });

const columns: readonly Column<TokenRecord>[] = [
  {
    key: 'title',
    title: common.title,
    sort: 'title',
    cell: ({ title, client }) => (
      <>
        {title}
        {client !== null && (
          <Text size="xs" c="dimmed">
            {t.loginSession}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'tail',
    title: t.endsIn,
    from: 'sm',
    cell: ({ token }) => (
      <Text ff="monospace" size="sm">
        …{token}
      </Text>
    ),
  },
  {
    key: 'created',
    title: common.made,
    sort: 'created_at',
    from: 'sm',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  { key: 'used', title: t.lastUsed, sort: 'last_used_at', cell: ({ last_used_at }) => <Moment at={last_used_at} /> },
  {
    key: 'actions',
    title: common.actions,
    cell: (token) => (
      <Group gap={4}>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => openRename(token)}
          aria-label={t.renameTitle(token.title)}
        >
          {t.rename}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => revoke(token)}
          aria-label={t.revokeTitle(token.title)}
        >
          {t.revoke}
        </Button>
      </Group>
    ),
  },
];

const noFilters: readonly string[] = [];

/** Bearer tokens for programs, and the login sessions that are open. */
export function Tokens() {
  const list = useListAddress(noFilters, t.tokens);
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
          {t.tokenLetsProgramCallApi}
        </Text>
        <Button onClick={openNewToken}>{t.newToken}</Button>
      </Group>
      <DataTable
        label={t.tokens}
        noun={nouns.token}
        columns={columns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noTokens} />}
      />
    </Stack>
  );
}
