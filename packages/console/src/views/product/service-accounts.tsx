import { Badge, Button, Group, MultiSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { type ServiceAccountRecord, serviceScopes, type TokenRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t as account } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/service-accounts.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notifyError } from '../../ui/notify.ts';
import { scopeTitles } from '../../ui/scope-titles.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { TokenDays } from '../../ui/token-days.tsx';

type Scope = (typeof serviceScopes)[number];

interface OfProduct {
  readonly productId: string;
}

interface OfAccount extends OfProduct {
  readonly one: ServiceAccountRecord;
}

const paramsOf = ({ productId, one }: OfAccount) => ({ product_id: productId, service_account_id: one.id });

function NewAccount({ productId, onDone }: OfProduct & { readonly onDone: () => void }) {
  const create = useChange('serviceAccounts.create', 'serviceAccounts');
  const [name, setName] = useState('');
  const submit = async (): Promise<void> => {
    await create.mutateAsync({ params: { product_id: productId }, body: { name } });
    onDone();
  };
  return (
    <Form submit={t.make} disabled={name === ''} onSubmit={submit}>
      <TextInput
        label={common.name}
        description={t.nameRule}
        data-autofocus
        required
        maxLength={32}
        {...bindText(name, setName)}
      />
    </Form>
  );
}

function NewToken({ onDone, ...of }: OfAccount & { readonly onDone: () => void }) {
  const add = useChange('serviceAccounts.addToken', 'serviceAccounts');
  const [title, setTitle] = useState('');
  const [scopes, setScopes] = useState<string[]>(['read']);
  const [days, setDays] = useState<number | string>('');
  const [made, setMade] = useState<TokenRecord>();
  const submit = async (): Promise<void> => {
    // Safe: the choices are those of the contract.
    const body = { title, scopes: scopes as Scope[], ...(typeof days === 'number' && { days }) };
    setMade(await add.mutateAsync({ params: paramsOf(of), body }));
  };
  if (made) {
    return (
      <ShownOnce what={account.token} advice={t.copyIt} onClose={onDone}>
        <Field label={account.token2} value={made.token} mono />
      </ShownOnce>
    );
  }
  return (
    <Form submit={account.makeToken} disabled={title === '' || scopes.length === 0} onSubmit={submit}>
      <TextInput label={common.title} data-autofocus required maxLength={100} {...bindText(title, setTitle)} />
      <MultiSelect
        label={account.whatItMayDo}
        data={serviceScopes.map((value) => ({ value, label: scopeTitles[value] }))}
        value={scopes}
        onChange={setScopes}
      />
      <TokenDays value={days} onChange={setDays} />
    </Form>
  );
}

function Token({ token, ...of }: OfAccount & { readonly token: TokenRecord }) {
  const revoke = useChange('serviceAccounts.removeToken', 'serviceAccounts');
  const ask = (): void =>
    confirm({
      title: account.revokeToken(token.title),
      body: account.everyProgramThatUsesIt,
      action: account.revoke,
      destructive: true,
      run: () => revoke.mutateAsync({ params: { ...paramsOf(of), token_id: token.id } }),
    });
  return (
    <Group gap="xs">
      <Text size="sm">
        {token.title} ({token.scopes.map((scope) => scopeTitles[scope]).join(', ')})
      </Text>
      <Button size="compact-xs" variant="default" onClick={ask} aria-label={`${account.revoke}: ${token.title}`}>
        {account.revoke}
      </Button>
    </Group>
  );
}

function Row(of: OfAccount) {
  const { one } = of;
  const update = useChange('serviceAccounts.update', 'serviceAccounts');
  const remove = useChange('serviceAccounts.remove', 'serviceAccounts');
  const isDisabled = one.disabled_at !== null;
  const turn = (): void => {
    update.mutateAsync({ params: paramsOf(of), body: { disabled: !isDisabled } }).catch(notifyError);
  };
  const ask = (): void =>
    confirm({
      title: t.deleteOne(one.user),
      body: t.deleteBody,
      action: common.delete,
      destructive: true,
      run: () => remove.mutateAsync({ params: paramsOf(of) }),
    });
  const add = (): void =>
    openDialog({ title: t.newTokenOf(one.user) }, (onDone) => <NewToken {...of} onDone={onDone} />);
  return (
    <Table.Tr>
      <Table.Td>
        {one.name} {isDisabled && <Badge color="gray">{t.disabled}</Badge>}
      </Table.Td>
      <Table.Td>
        <Stack gap={4}>
          {one.tokens.map((token) => (
            <Token key={token.id} {...of} token={token} />
          ))}
        </Stack>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          <Button size="compact-sm" variant="default" onClick={add} aria-label={t.newTokenOf(one.user)}>
            {t.newToken}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            onClick={turn}
            aria-label={`${isDisabled ? t.letIn : t.disable}: ${one.user}`}
          >
            {isDisabled ? t.letIn : t.disable}
          </Button>
          <Button size="compact-sm" variant="default" onClick={ask} aria-label={`${common.delete}: ${one.user}`}>
            {common.delete2}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** Accounts of programs that belong to the product. */
export function ServiceAccounts({ productId }: OfProduct) {
  const query = useCall('serviceAccounts.list', { params: { product_id: productId } });
  const add = (): void =>
    openDialog({ title: t.newOne }, (onDone) => <NewAccount productId={productId} onDone={onDone} />);
  return (
    <Card
      title={t.serviceAccounts}
      actions={
        <Button size="compact-sm" variant="default" onClick={add}>
          {t.newOne}
        </Button>
      }
    >
      <Stack gap="sm">
        <Muted>{t.whatTheyAre}</Muted>
        <Loaded query={query}>
          {({ value }) =>
            value.length === 0 ? (
              <Empty title={t.none} />
            ) : (
              <SmallTable label={t.serviceAccounts} columns={[common.name, t.tokens, common.actions]}>
                {value.map((one) => (
                  <Row key={one.id} productId={productId} one={one} />
                ))}
              </SmallTable>
            )
          }
        </Loaded>
      </Stack>
    </Card>
  );
}
