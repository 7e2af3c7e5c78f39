import { Code, Stack, Table } from '@mantine/core';
import type { AnswerOf, DeviceRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';
import type { TabProps } from './tab-props.ts';

type Status = AnswerOf<'channel.status'>;

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Channel({ status }: { readonly status: Status }) {
  return (
    <Card title={t.messageChannel}>
      <Fields>
        <Field label={common.state}>
          <StateBadge state={status.online ? 'connected' : 'not connected'} />
        </Field>
        <Field label={common.since}>
          <Moment at={status.since} none="—" />
        </Field>
        <Field label={common.address} value={status.address} mono />
      </Fields>
    </Card>
  );
}

function Values({ telemetry }: { readonly telemetry: NonNullable<Status['telemetry']> }) {
  return (
    <Stack gap="xs">
      <Muted>
        {t.told} <Moment at={telemetry.at} />
      </Muted>
      <SmallTable label={t.telemetry} fits columns={[common.name, common.value]} verticalSpacing={4}>
        {Object.entries(telemetry.data).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Code>{shown(value)}</Code>
            </Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
    </Stack>
  );
}

function Nodes({ nodes, device }: { readonly nodes: Status['nodes']; readonly device: DeviceRecord }) {
  if (nodes.length === 0) return <Muted>{t.noneOnlyGatewaysHaveChildren}</Muted>;
  const seenAt = new Map(device.nodes?.map(({ id, last_seen_at }) => [id, last_seen_at]));
  return (
    <SmallTable label={t.nodes} fits columns={[common.title, common.id, common.lastSeen]} verticalSpacing={4}>
      {nodes.map(({ id, title }) => (
        <Table.Tr key={id}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{title ?? '—'}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <Code>{id}</Code> <Copy value={id} label={t.idOf(title ?? t.node)} />
          </Table.Td>
          <Table.Td>
            <Moment at={seenAt.get(id) ?? null} none="—" />
          </Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  );
}

/** What the device last reported over the message channel, and the nodes of a gateway. */
export default function Telemetry({ device }: TabProps) {
  const query = useCall('channel.status', { params: { device_id: device.id } });
  return (
    <Loaded query={query}>
      {({ value: status }) => (
        <Stack gap="md">
          <Channel status={status} />
          <Card title={t.telemetry}>
            {status.telemetry ? (
              <Values telemetry={status.telemetry} />
            ) : (
              <Empty title={t.noTelemetryYet}>
                {t.moduleSendsItsValuesIn}
                <br />
                <ModuleLine line="set dms.telemetry.interval 60000" />
              </Empty>
            )}
          </Card>
          <Card title={t.nodes}>
            <Nodes nodes={status.nodes} device={device} />
          </Card>
        </Stack>
      )}
    </Loaded>
  );
}
