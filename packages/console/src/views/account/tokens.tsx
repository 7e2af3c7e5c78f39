import { Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { type TokenRecord, type TokenScope, tokenProductsLimit, tokenScopes } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment, momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { scopeTitles } from '../../ui/scope-titles.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { TokenDays } from '../../ui/token-days.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';

/** What a program that logged in calls itself, in a few words: its name, and the system that it names. */
function browserOf(userAgent: string): string {
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\/[\d.]+/.exec(userAgent)?.[1];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  const known = name && ({ Edg: 'Edge', OPR: 'Opera' }[name] ?? name);
  return known ? [known, system].filter(Boolean).join(', ') : userAgent.slice(0, 40);
}

function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [scopes, setScopes] = useState<string[]>(['all']);
  const [only, setOnly] = useState<string[]>([]);
  const [days, setDays] = useState<number | string>('');
  const [made, setMade] = useState<TokenRecord>();
  const products = useCall('products.list', { query: { limit: 500, sort: 'product' } });
  const make = async (): Promise<void> => {
    const { value } = await call('tokens.create', {
      body: {
        ...(title !== '' && { title }),
        // Safe: the choices are those of the contract.
        scopes: scopes as TokenScope[],
        ...(only.length > 0 && { product_ids: only }),
        ...(typeof days === 'number' && { days }),
      },
    });
    setMade(value);
    await renew('tokens');
  };
  if (!made) {
    return (
      <Form submit={t.makeToken} disabled={scopes.length === 0} onSubmit={make}>
        <TextInput
          label={common.title}
          description={t.whatItIsForIt}
          maxLength={100}
          data-autofocus
          {...bindText(title, setTitle)}
        />
        <MultiSelect
          label={t.whatItMayDo}
          data={tokenScopes.map((value) => ({ value, label: scopeTitles[value] }))}
          value={scopes}
          onChange={(chosen) => setScopes(chosen.at(-1) === 'all' ? ['all'] : chosen.filter((one) => one !== 'all'))}
        />
        <MultiSelect
          label={t.forProducts}
          data={(products.data?.value ?? []).map(({ id, product }) => ({ value: id, label: product }))}
          placeholder={only.length === 0 ? t.anyProduct : ''}
          maxValues={tokenProductsLimit}
          searchable
          value={only}
          onChange={setOnly}
        />
        <TokenDays value={days} onChange={setDays} />
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
      <TextInput label={common.title} required maxLength={100} data-autofocus {...bindText(title, setTitle)} />
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
    cell: ({ title, client, user_agent, current }) => (
      <>
        {title}
        {client !== null && (
          <Text size="xs" c="dimmed" title={user_agent ?? ''}>
            {[t.loginSession, user_agent && browserOf(user_agent), current && t.thisOne].filter(Boolean).join(', ')}
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
  { key: 'created', title: common.made, sort: 'created_at', from: 'sm', cell: momentOf('created_at') },
  {
    key: 'may',
    title: t.whatItMayDo,
    from: 'md',
    cell: ({ scopes, product_ids }) =>
      [...scopes.map((scope) => scopeTitles[scope]), product_ids && t.productsOnly(product_ids.length)]
        .filter(Boolean)
        .join(', '),
  },
  {
    key: 'used',
    title: t.lastUsed,
    sort: 'last_used_at',
    cell: ({ last_used_at, last_used_ip }) => (
      <>
        <Moment at={last_used_at} />
        <Muted small>{last_used_ip}</Muted>
      </>
    ),
  },
  {
    key: 'ends',
    title: t.ends,
    from: 'md',
    cell: ({ expires_at }) => (expires_at === null ? t.forGood : formatMoment(msOf(expires_at))),
  },
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

/** Bearer tokens for programs, and the login sessions that are open. */
export function Tokens() {
  const list = useListAddress('Tokens');
  const query = pageOf<'title'>(list);
  const found = useCall('tokens.list', { query }, { keepPrevious: true });
  return (
    <Stack>
      <Group justify="space-between">
        <Muted maw={600}>{t.tokenLetsProgramCallApi}</Muted>
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
