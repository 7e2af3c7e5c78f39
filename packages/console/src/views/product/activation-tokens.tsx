import { ActionIcon, Button, Code, Group, NumberInput, Stack, Tooltip } from '@mantine/core';
import type { ActivationTokenRecord } from '@moorage/api';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
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
import type { TabProps } from './tab-props.ts';

/** Most devices that one token can claim. */
const usesLimit = 10_000;
function Revoke({ token, productId }: { readonly token: ActivationTokenRecord; readonly productId: string }) {
  const revoke = useChange('products.removeToken', 'products');
  const ask = (): void =>
    confirm({
      title: t.revokeTokenThatEndsIn(token.token),
      body: t.couldStillBeClaimedWith(plural(token.uses_left, nouns.device)),
      action: t.revoke,
      destructive: true,
      run: () => revoke.mutateAsync({ params: { product_id: productId, token_id: token.id } }),
      done: t.tokenIsRevoked,
    });
  return (
    <Tooltip label={t.revoke}>
      <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label={t.revokeTokenThatEndsToken(token.token)}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const columnsFor = (productId: string): readonly Column<ActivationTokenRecord>[] => [
  { key: 'token', title: t.token, cell: ({ token }) => <Code>…{token}</Code> },
  { key: 'uses', title: t.usesLeft, cell: ({ uses_left }) => formatCount(uses_left) },
  { key: 'user', title: t.madeBy, from: 'sm', cell: ({ user }) => user },
  { key: 'made', title: common.made, sort: 'created_at', from: 'sm', cell: momentOf('created_at') },
  { key: 'actions', title: common.actions, cell: (token) => <Revoke token={token} productId={productId} /> },
];

interface MadeProps {
  readonly made: ActivationTokenRecord;
  readonly productCode: string;
  readonly onClose: () => void;
}

/** The value of a new token: the service keeps none of it that could be shown again. */
const Made = ({ made, productCode, onClose }: MadeProps) => (
  <ShownOnce what={t.theToken} advice={t.copyItNowWhoeverHas(plural(made.uses_left, nouns.device))} onClose={onClose}>
    <Field label={t.token} value={made.token} mono />
    <Field label={t.commandForModule} value={`dms claim ${productCode} ${made.token}`} mono />
  </ShownOnce>
);

interface CreateProps {
  readonly productId: string;
  readonly onMade: (made: ActivationTokenRecord) => void;
}

function CreateToken({ productId, onMade }: CreateProps) {
  const add = useChange('products.addToken', 'products');
  const [uses, setUses] = useState<string | number>(1);
  const valid = typeof uses === 'number' && uses >= 1 && uses <= usesLimit;
  const submit = async (): Promise<void> => {
    if (valid) onMade(await add.mutateAsync({ params: { product_id: productId }, body: { uses } }));
  };
  return (
    <Form submit={t.makeToken} onSubmit={submit} disabled={!valid}>
      <NumberInput
        label={t.devicesThatCanBeClaimed}
        data-autofocus
        required
        min={1}
        max={usesLimit}
        allowDecimal={false}
        value={uses}
        onChange={setUses}
      />
    </Form>
  );
}

/** Tokens with which devices are claimed and activated in one go, without a password. */
export default function ActivationTokens({ product }: TabProps) {
  const list = useListAddress('Activation tokens');
  const query = pageOf<'created_at'>(list);
  const tokens = useCall('products.listTokens', { params: { product_id: product.id }, query }, { keepPrevious: true });
  const make = () =>
    openMade<ActivationTokenRecord>(
      { form: t.makeActivationToken, made: t.activationToken },
      (onMade) => <CreateToken productId={product.id} onMade={onMade} />,
      (made, close) => <Made made={made} productCode={product.product} onClose={close} />,
    );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted maw={560}>{t.tokenClaimsDeviceForOwner}</Muted>
        <Button leftSection={<IconKey size={16} aria-hidden />} onClick={make}>
          {t.makeAToken}
        </Button>
      </Group>
      <DataTable
        label={t.activationTokens}
        noun={nouns.token}
        columns={columnsFor(product.id)}
        query={tokens}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title={t.noActivationTokens}>{t.withOneOnCommandLine(`"dms claim ${product.product} TOKEN"`)}</Empty>
        }
      />
    </Stack>
  );
}
