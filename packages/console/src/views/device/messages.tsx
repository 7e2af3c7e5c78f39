import { Alert, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { type DeviceRecord, type MessageBox, type MessageRecord, messagesPerBox } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { formatMoment, formatSize, msOf, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';
import { MessageForm } from './message-form.tsx';
import { NotActivated } from './not-activated.tsx';
import type { TabProps } from './tab-props.ts';

const boxes: readonly { readonly box: MessageBox; readonly title: string; readonly none: string }[] = [
  { box: 'from-device', title: t.fromDevice, none: t.deviceHasSentNothingThat },
  { box: 'to-device', title: t.toDevice, none: t.nothingWaitsForDevice },
];

function Headers({ headers }: { readonly headers: MessageRecord['headers'] }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <Table aria-label={common.headers} verticalSpacing={2}>
      <Table.Tbody>
        {entries.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Reader({ deviceId, message }: { readonly deviceId: string; readonly message: MessageRecord }) {
  const query = useCall('data.message', { params: { device_id: deviceId, message_id: message.id } });
  return (
    <Loaded query={query}>
      {({ value: { data, headers } }) => (
        <Stack gap="sm">
          <Muted>
            {formatMoment(msOf(message.created_at))} · {formatSize(message.length)}
          </Muted>
          <Headers headers={headers} />
          <Group align="flex-start" wrap="nowrap" gap={4}>
            <Code block flex={1} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {data}
            </Code>
            <Copy value={data} label={t.message} />
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}

interface LineProps {
  readonly deviceId: string;
  readonly message: MessageRecord;
  readonly onRead: () => void;
}

function MessageLine({ deviceId, message, onRead }: LineProps) {
  const { id, box, length, created_at, headers } = message;
  const remove = (): void =>
    confirm({
      title: t.deleteThisMessage,
      body: box === 'to-device' ? t.deviceWillNotGetIt : t.itsTextIsLostThis,
      action: common.delete,
      destructive: true,
      async run() {
        await call('data.removeMessage', { params: { device_id: deviceId, message_id: id } });
        await renew('data');
        notify(t.messageIsDeleted);
      },
    });
  const of = t.ofCreated_at(formatMoment(msOf(created_at)));
  const count = Object.keys(headers).length;
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Text size="sm" component="div">
        <Moment at={created_at} /> · {formatSize(length)}
        {count > 0 && ` · ${plural(count, nouns.header)}`}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={onRead} aria-label={t.readMessage(of)}>
          {t.read}
        </Button>
        <Button size="compact-sm" variant="default" onClick={remove} aria-label={t.deleteMessage(of)}>
          {common.delete}
        </Button>
      </Group>
    </Group>
  );
}

interface BoxProps {
  readonly device: DeviceRecord;
  readonly box: (typeof boxes)[number];
  readonly exists: boolean;
}

function Box({ device, box: { box, title, none }, exists }: BoxProps) {
  const [read, setRead] = useState<MessageRecord>();
  const query = useCall('data.messages', { params: { device_id: device.id }, query: { box, limit: messagesPerBox } });
  return (
    <Card title={title}>
      {!exists && (
        <Alert variant="outline" color="gray" mb="sm">
          {t.capabilitiesOfDeviceHaveNo}
        </Alert>
      )}
      {exists && box === 'to-device' && <MessageForm deviceId={device.id} />}
      <Loaded query={query}>
        {({ value: messages }) =>
          messages.length === 0 ? (
            <Muted>{none}</Muted>
          ) : (
            <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t.messagesOf(title)}>
              {messages.map((message) => (
                <MessageLine key={message.id} deviceId={device.id} message={message} onRead={() => setRead(message)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {read && (
        <Dialog title={t.messageOf(title)} size="lg" opened onClose={() => setRead(undefined)}>
          <Reader deviceId={device.id} message={read} />
        </Dialog>
      )}
    </Card>
  );
}

/** The two boxes of messages: what waits for the device, and what it has sent. */
export default function Messages({ device }: TabProps) {
  const query = useCall('data.capabilities', { params: { device_id: device.id } });
  return (
    <Loaded query={query}>
      {({ value: { activated, capabilities } }) =>
        activated ? (
          <Stack gap="md">
            {boxes.map((box) => (
              <Box key={box.box} device={device} box={box} exists={capabilities?.messages?.[box.box] === true} />
            ))}
            <Muted small>{t.boxKeepsMessagesOldestGives(messagesPerBox)}</Muted>
          </Stack>
        ) : (
          <NotActivated what={t.messages} />
        )
      }
    </Loaded>
  );
}
