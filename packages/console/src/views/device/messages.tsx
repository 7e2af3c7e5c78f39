import { Alert, Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { type DeviceRecord, type MessageBox, type MessageRecord, messagesPerBox } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatMoment, formatSize, msOf, plural } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';
import { MessageForm } from './message-form.tsx';
import { NotActivated } from './not-activated.tsx';
import type { TabProps } from './tab-props.ts';

const boxes: readonly { readonly box: MessageBox; readonly title: string; readonly none: string }[] = [
  { box: 'from-device', title: 'From the device', none: 'The device has sent nothing that is still here.' },
  { box: 'to-device', title: 'To the device', none: 'Nothing waits for the device.' },
];

function Headers({ headers }: { readonly headers: MessageRecord['headers'] }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <Table aria-label="Headers" verticalSpacing={2}>
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
          <Text size="sm" c="dimmed">
            {formatMoment(msOf(message.created_at))} · {formatSize(message.length)}
          </Text>
          <Headers headers={headers} />
          <Group align="flex-start" wrap="nowrap" gap={4}>
            <Code block flex={1} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {data}
            </Code>
            <Copy value={data} label="the message" />
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
      title: 'Delete this message?',
      body:
        box === 'to-device'
          ? 'The device will not get it, unless it has fetched it already. This cannot be undone.'
          : 'Its text is lost. This cannot be undone.',
      action: 'Delete',
      destructive: true,
      async run() {
        await call('data.removeMessage', { params: { device_id: deviceId, message_id: id } });
        await renew('data');
        notify('The message is deleted');
      },
    });
  const of = `of ${formatMoment(msOf(created_at))}`;
  const count = Object.keys(headers).length;
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Text size="sm" component="div">
        <Moment at={created_at} /> · {formatSize(length)}
        {count > 0 && ` · ${plural(count, 'header')}`}
      </Text>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={onRead} aria-label={`Read the message ${of}`}>
          Read
        </Button>
        <Button size="compact-sm" variant="default" onClick={remove} aria-label={`Delete the message ${of}`}>
          Delete
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
          The capabilities of the device have no such box.
        </Alert>
      )}
      {exists && box === 'to-device' && <MessageForm deviceId={device.id} />}
      <Loaded query={query}>
        {({ value: messages }) =>
          messages.length === 0 ? (
            <Text c="dimmed" size="sm">
              {none}
            </Text>
          ) : (
            <Stack
              component="ul"
              gap="xs"
              m={0}
              p={0}
              style={{ listStyle: 'none' }}
              aria-label={`Messages ${title.toLowerCase()}`}
            >
              {messages.map((message) => (
                <MessageLine key={message.id} deviceId={device.id} message={message} onRead={() => setRead(message)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {read && (
        <Dialog title={`Message ${title.toLowerCase()}`} size="lg" opened onClose={() => setRead(undefined)}>
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
            <Text size="xs" c="dimmed">
              A box keeps {messagesPerBox} messages; the oldest gives way to a new one.
            </Text>
          </Stack>
        ) : (
          <NotActivated what="messages" />
        )
      }
    </Loaded>
  );
}
