import { Button, Code, Group, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type DoorName, type DoorTokenRecord, doorNames } from '@moorage/api';
import { IconKey } from '@tabler/icons-react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { nouns } from '../../texts/nouns.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openMade } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { Moment, momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';

const doorTitles = { ddi: 'DDI', mender: t.mender } as const;

function Revoke({ token }: { readonly token: DoorTokenRecord }) {
  const revoke = useChange('doors.removeToken', 'doors');
  const ask = (): void =>
    confirm({
      title: t.revokeTitle(token.title),
      body: t.revokeBody,
      action: t.revokeAction,
      destructive: true,
      run: () => revoke.mutateAsync({ params: { product_id: token.product_id, token_id: token.id } }),
      done: t.revoked,
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={t.revoke(token.title)}>
      {t.revokeAction} …
    </Button>
  );
}

const columns: readonly Column<DoorTokenRecord>[] = [
  { key: 'title', title: t.title, cell: ({ title }) => title },
  { key: 'door', title: t.door, cell: ({ door }) => doorTitles[door] },
  { key: 'token', title: t.token, from: 'sm', cell: ({ token }) => <Code>…{token}</Code> },
  { key: 'made', title: t.made, sort: 'created_at', from: 'sm', cell: momentOf('created_at') },
  { key: 'used', title: t.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} none={t.never} /> },
  { key: 'actions', title: t.actions, cell: (token) => <Revoke token={token} /> },
];

function MakeToken({
  productId,
  onMade,
}: {
  readonly productId: string;
  readonly onMade: (made: DoorTokenRecord) => void;
}) {
  const add = useChange('doors.addToken', 'doors');
  const form = useForm({ initialValues: { title: '', door: 'ddi' as DoorName }, validate: { title: needed } });
  const submit = async (): Promise<void> => {
    onMade(await add.mutateAsync({ params: { product_id: productId }, body: form.values }));
  };
  return (
    <Form submit={t.makeToken} onSubmit={submit} fields={form} disabled={!form.isValid()}>
      <TextInput label={t.title} data-autofocus required maxLength={128} {...form.getInputProps('title')} />
      <Select
        label={t.door}
        data={doorNames.map((name) => ({ value: name, label: doorTitles[name] }))}
        allowDeselect={false}
        {...form.getInputProps('door')}
      />
    </Form>
  );
}

/** Tokens by which devices of a product register themselves. */
export function DoorTokens({ productId }: { readonly productId: string }) {
  const list = useListAddress('Tokens of the product');
  const query = pageOf<'created_at'>(list);
  const tokens = useCall('doors.tokens', { params: { product_id: productId }, query }, { keepPrevious: true });
  const make = () =>
    openMade<DoorTokenRecord>(
      { form: t.makeToken, made: t.theToken },
      (onMade) => <MakeToken productId={productId} onMade={onMade} />,
      (made, close) => (
        <ShownOnce what={t.theToken} advice={t.copyIt} onClose={close}>
          <Field label={t.token} value={made.token} mono />
        </ShownOnce>
      ),
    );
  return (
    <>
      <Group justify="space-between">
        <Muted maw={560}>{t.whatTokensAre}</Muted>
        <Button leftSection={<IconKey size={16} aria-hidden />} onClick={make}>
          {t.makeToken}
        </Button>
      </Group>
      <DataTable
        label={t.tokens}
        noun={nouns.token}
        columns={columns}
        query={tokens}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noToken}>{t.noTokenHint}</Empty>}
      />
    </>
  );
}
