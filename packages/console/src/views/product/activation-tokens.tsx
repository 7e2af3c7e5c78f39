import { ActionIcon, Button, Code, Group, NumberInput, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ActivationTokenRecord } from '@moorage/api';
import { IconKey, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import type { TabProps } from './tab-props.ts';

/** Most devices that one token can claim. */
const usesLimit = 10_000;
const noFilters: readonly string[] = [];

function Revoke({ token, productId }: { readonly token: ActivationTokenRecord; readonly productId: string }) {
  const revoke = useChange('products.removeToken', 'products');
  const ask = (): void =>
    confirm({
      title: `Revoke the token that ends in ${token.token}?`,
      body: `${plural(token.uses_left, 'device')} could still be claimed with it. Devices claimed already keep their owner.`,
      action: 'Revoke',
      destructive: true,
      async run() {
        await revoke.mutateAsync({ params: { product_id: productId, token_id: token.id } });
        notify('The token is revoked');
      },
    });
  return (
    <Tooltip label="Revoke">
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={ask}
        aria-label={`Revoke the token that ends in ${token.token}`}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const columnsFor = (productId: string): readonly Column<ActivationTokenRecord>[] => [
  { key: 'token', title: 'Token', cell: ({ token }) => <Code>…{token}</Code> },
  { key: 'uses', title: 'Uses left', cell: ({ uses_left }) => formatCount(uses_left) },
  { key: 'user', title: 'Made by', from: 'sm', cell: ({ user }) => user },
  { key: 'made', title: 'Made', sort: 'created_at', from: 'sm', cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'actions', title: 'Actions', cell: (token) => <Revoke token={token} productId={productId} /> },
];

interface MadeProps {
  readonly made: ActivationTokenRecord;
  readonly productCode: string;
  readonly onClose: () => void;
}

/** The value of a new token: the service keeps none of it that could be shown again. */
const Made = ({ made, productCode, onClose }: MadeProps) => (
  <ShownOnce
    what="The token"
    advice={`Copy it now. Whoever has it can claim ${plural(made.uses_left, 'device')} for the owner of this product.`}
    onClose={onClose}
  >
    <Field label="Token" value={made.token} mono />
    <Field label="Command for the module" value={`dms claim ${productCode} ${made.token}`} mono />
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
    <Form submit="Make the token" onSubmit={submit} disabled={!valid}>
      <NumberInput
        label="Devices that can be claimed with it"
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
  const list = useListAddress(noFilters);
  const [opened, dialog] = useDisclosure();
  const [made, setMade] = useState<ActivationTokenRecord>();
  // Safe: the only column with an order is this one.
  const sort = list.sort as 'created_at' | undefined;
  const query = { limit: list.limit, offset: list.offset, ...(sort !== undefined && { sort }) };
  const tokens = useCall('products.listTokens', { params: { product_id: product.id }, query }, { keepPrevious: true });
  const close = (): void => {
    dialog.close();
    setMade(undefined);
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          A token claims a device for the owner of the product and activates it in one command: for small runs, without
          a password on the bench.
        </Text>
        <Button leftSection={<IconKey size={16} aria-hidden />} onClick={dialog.open}>
          Make a token
        </Button>
      </Group>
      <Dialog title={made ? 'The activation token' : 'Make an activation token'} opened={opened} onClose={close}>
        {made ? (
          <Made made={made} productCode={product.product} onClose={close} />
        ) : (
          <CreateToken productId={product.id} onMade={setMade} />
        )}
      </Dialog>
      <DataTable
        label="Activation tokens"
        noun="token"
        columns={columnsFor(product.id)}
        query={tokens}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="No activation tokens">
            With one, {`"dms claim ${product.product} TOKEN"`} on the command line of a module is all that it takes.
          </Empty>
        }
      />
    </Stack>
  );
}
