import { Button, Code, Stack, Table, Text } from '@mantine/core';
import type { FoundRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/gateway.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { ProductSelect } from '../../ui/product-select.tsx';
import { SmallTable } from '../../ui/small-table.tsx';

/** How often the list is asked for again, in ms: no event tells of what a gateway finds. */
const renewMs = 10_000;
const shownLimit = 20;

function AdoptForm({ module, onDone }: { readonly module: FoundRecord; readonly onDone: () => void }) {
  const [productId, setProductId] = useState<string | null>(null);
  const adopt = useChange('gateways.adopt', 'gateways');
  const submit = async (): Promise<void> => {
    const body = { product_id: productId ?? '' };
    const { product } = await adopt.mutateAsync({ params: { found_id: module.id }, body });
    notify(t.asked(product ?? ''));
    onDone();
  };
  return (
    <Form submit={t.adoptAction} onSubmit={submit} disabled={productId === null}>
      <ProductSelect label={common.product} value={productId} onChange={setProductId} required />
      <Text size="sm">{t.whatAdoptingIs}</Text>
    </Form>
  );
}

const openAdopt = (module: FoundRecord): void =>
  openDialog({ title: t.adoptTitle(module.address) }, (close) => <AdoptForm module={module} onDone={close} />);

/** What can be done with a module, or why not. */
function Doing({ module }: { readonly module: FoundRecord }) {
  const { address, has_password, problem, product } = module;
  if (product !== null) return <Text size="sm">{t.asked(product)}</Text>;
  return (
    <Stack gap={4} align="flex-start">
      {problem !== null && (
        <Text size="sm" c="red">
          {problem}
        </Text>
      )}
      {has_password === true ? (
        <>
          <Text size="sm">{t.wantsPassword}</Text>
          <Code>{`moorage gateway --adopt ${address} --product …`}</Code>
        </>
      ) : (
        <Button size="compact-sm" variant="default" aria-label={t.adoptAt(address)} onClick={() => openAdopt(module)}>
          {t.adopt}
        </Button>
      )}
    </Stack>
  );
}

/** Real modules that gateways of the user have found; nothing while there are none. */
export function FoundModules() {
  const found = useCall('gateways.found', { query: { limit: shownLimit } }, { everyMs: renewMs });
  const { value: modules = [], total = 0 } = found.data ?? {};
  if (modules.length === 0) return null;
  return (
    <Card title={t.found}>
      <Stack gap="sm">
        <Muted>{t.whatFoundIs}</Muted>
        <SmallTable label={t.found} columns={[common.address, common.firmware, t.network, t.gateway, common.actions]}>
          {modules.map((module) => (
            <Table.Tr key={module.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {module.address}
                <br />
                {module.mac}
              </Table.Td>
              <Table.Td>{module.version ?? '—'}</Table.Td>
              <Table.Td>
                {module.ssid} {module.signal !== null && t.signal(module.signal)}
              </Table.Td>
              <Table.Td>{module.gateway}</Table.Td>
              <Table.Td>
                <Doing module={module} />
              </Table.Td>
            </Table.Tr>
          ))}
        </SmallTable>
        {total > modules.length && <Text size="sm">{t.andMore(formatCount(total - modules.length))}</Text>}
      </Stack>
    </Card>
  );
}
