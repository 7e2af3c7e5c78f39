import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import type { ConnectorRecord } from '@moorage/api';
import { IconDots, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useAddressDialog } from '../../ui/dialogs.ts';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { ConnectorForm } from './connector-form.tsx';
import { Deliveries } from './deliveries.tsx';
import type { TabProps } from './tab-props.ts';

function TestButton({ connector }: { readonly connector: ConnectorRecord }) {
  const [busy, setBusy] = useState(false);
  const test = async (): Promise<void> => {
    setBusy(true);
    try {
      const { status } = (await call('connectors.test', { params: { connector_id: connector.id } })).value;
      notify(t.works(connector.code, status === null ? '' : t.itAnswered(status)));
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
      void renew('connectors');
    }
  };
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={busy}
      leftSection={<IconPlugConnected size={14} aria-hidden />}
      aria-label={t.testCode(connector.code)}
      onClick={() => void test()}
    >
      {t.test}
    </Button>
  );
}

interface MenuProps {
  readonly connector: ConnectorRecord;
  readonly onEdit: () => void;
  readonly onDeliveries: () => void;
}

function ConnectorMenu({ connector, onEdit, onDeliveries }: MenuProps) {
  const remove = useChange('connectors.remove', 'connectors');
  const ask = (): void =>
    confirm({
      title: t.deleteConnector(connector.code),
      body: t.whatWaitsToBeDelivered,
      action: common.delete,
      destructive: true,
      run: () => remove.mutateAsync({ params: { connector_id: connector.id } }),
      done: t.connectorIsDeleted(connector.code),
    });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.actionsForConnector(connector.code)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onEdit}>{t.change2}</Menu.Item>
        <Menu.Item onClick={onDeliveries}>{t.deliveries}</Menu.Item>
        <Menu.Item onClick={ask}>{common.delete}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Opened = { readonly dialog: 'edit' | 'deliveries'; readonly connector: ConnectorRecord };

const columnsFor = (open: (opened: Opened) => void): readonly Column<ConnectorRecord>[] => [
  {
    key: 'title',
    title: t.connector,
    sort: 'title',
    cell: ({ title, code }) => (
      <>
        {title}
        <Muted small>{code}</Muted>
      </>
    ),
  },
  {
    key: 'target',
    title: t.target,
    from: 'md',
    cell: ({ type, opts }) => (
      <>
        {type}
        <Muted small>{String(opts.url ?? '')}</Muted>
      </>
    ),
  },
  {
    key: 'state',
    title: common.state,
    cell: ({ state, last_error }) => (
      <>
        <StateBadge state={state} />
        {last_error !== null && state === 'failing' && <Text size="xs">{last_error}</Text>}
      </>
    ),
  },
  { key: 'used', title: t.lastUsed, from: 'sm', cell: momentOf('last_used_at') },
  {
    key: 'actions',
    title: common.actions,
    cell: (connector) => (
      <Group gap={4} wrap="nowrap">
        <TestButton connector={connector} />
        <ConnectorMenu
          connector={connector}
          onEdit={() => open({ dialog: 'edit', connector })}
          onDeliveries={() => open({ dialog: 'deliveries', connector })}
        />
      </Group>
    ),
  },
];

interface DialogsProps {
  readonly productId: string;
  readonly opened: Opened | undefined;
  readonly onClose: () => void;
}

function Dialogs({ productId, opened, onClose }: DialogsProps) {
  const code = opened?.connector.code ?? '';
  return (
    <>
      <Dialog title={t.changeConnector(code)} size="lg" opened={opened?.dialog === 'edit'} onClose={onClose}>
        {opened && <ConnectorForm productId={productId} connector={opened.connector} onDone={onClose} />}
      </Dialog>
      <Dialog title={t.deliveriesOf(code)} size="xl" opened={opened?.dialog === 'deliveries'} onClose={onClose}>
        {opened && <Deliveries connectorId={opened.connector.id} />}
      </Dialog>
    </>
  );
}

/** Links of the product to services outside. */
export default function Connectors({ product }: TabProps) {
  const list = useListAddress('Connectors');
  const [adding, addDialog] = useAddressDialog('new');
  const [opened, open] = useState<Opened>();
  const query = pageOf<'title'>(list);
  const connectors = useCall('connectors.list', { params: { product_id: product.id }, query }, { keepPrevious: true });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted maw={560}>{t.throughConnectorServiceTellsAnother}</Muted>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addDialog.open}>
          {t.addAConnector}
        </Button>
      </Group>
      <Dialog title={t.addAConnector} size="lg" opened={adding} onClose={addDialog.close}>
        <ConnectorForm productId={product.id} onDone={addDialog.close} />
      </Dialog>
      <Dialogs productId={product.id} opened={opened} onClose={() => open(undefined)} />
      <DataTable
        label={t.connectors}
        noun={nouns.connector}
        columns={columnsFor(open)}
        query={connectors}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noConnectorsYet}>{t.webhookOrMqttBrokerCan}</Empty>}
      />
    </Stack>
  );
}
