import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { AuthorityRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';

/** How often the counts are asked for again, in ms: no event reports them. */
const recountMs = 30_000;

const states = {
  next: 'trusted, signs within a minute',
  active: 'signs certificates of devices',
  retiring: 'still trusted',
  retired: 'retired',
} as const;

const Row = ({ authority }: { readonly authority: AuthorityRecord }) => (
  <Table.Tr>
    <Table.Td>{authority.name}</Table.Td>
    <Table.Td>{states[authority.state]}</Table.Td>
    <Table.Td>
      {authority.devices}
      {authority.devices > 0 && `, ${authority.recent_devices} heard of in the last 30 days`}
    </Table.Td>
    <Table.Td>
      <Moment at={authority.valid_to} />
    </Table.Td>
  </Table.Tr>
);

/** The authorities that devices trust, and how one takes the place of another. */
export function Authorities() {
  const found = useCall('identity.list', {}, { everyMs: recountMs }).data?.value ?? [];
  const rotate = useChange('identity.rotate', 'identity');
  const retire = useChange('identity.retire', 'identity');
  const retiring = found.find(({ state }) => state === 'retiring');
  const isOpen = found.some(({ state }) => state === 'next' || state === 'retiring');
  const askRotate = (): void =>
    confirm({
      title: 'Make a new authority?',
      body: 'Devices get it with a renewal of their certificate, which they are told to make when they come next. The old one stays trusted until you retire it.',
      action: 'Make it',
      async run() {
        await rotate.mutateAsync({});
        notify('A new authority is made');
      },
    });
  const askRetire = ({ devices }: AuthorityRecord): void =>
    confirm({
      title: 'Retire the old authority?',
      body:
        devices === 0
          ? 'No device goes by it any more.'
          : `${devices} devices go by it: they have to be provisioned again, each with a new token.`,
      action: devices === 0 ? 'Retire' : 'Retire all the same',
      destructive: true,
      async run() {
        await retire.mutateAsync({ body: { force: devices > 0 } });
        notify('The old authority is retired');
      },
    });
  return (
    <Card
      title="Authorities"
      actions={
        <Group gap="xs">
          {retiring && (
            <Button size="compact-sm" variant="default" onClick={() => askRetire(retiring)}>
              Retire the old one …
            </Button>
          )}
          {found.length > 0 && !isOpen && (
            <Button size="compact-sm" variant="default" onClick={askRotate}>
              Rotate …
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        <Text c="dimmed" size="sm">
          Devices know this service by its authority, and the service knows devices by the certificates it has signed.
        </Text>
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Authorities">
            <Table.Thead>
              <Table.Tr>
                {['Authority', 'State', 'Devices that go by it', 'Ends'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.map((authority) => (
                <Row key={authority.fingerprint} authority={authority} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Stack>
    </Card>
  );
}
