import { Button, NumberInput, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import type { InvitationRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';

/** Invitations that are shown, the newest first. */
const shownLimit = 50;

const linkOf = (token: string): string => `${window.location.origin}/sign-up#${encodeURIComponent(token)}`;

const policies = {
  open: 'Anybody who reaches this service may make an account.',
  invite: 'An account needs an invitation.',
  closed: 'Accounts are made on the command line only.',
} as const;

function NewInvitation({ onMade }: { readonly onMade: (made: InvitationRecord) => void }) {
  const create = useChange('invitations.create', 'invitations');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'user' | 'admin'>('user');
  const [days, setDays] = useState<number | string>(7);
  const make = async (): Promise<void> => {
    const body = { role, days: Number(days), ...(email !== '' && { email }) };
    onMade(await create.mutateAsync({ body }));
  };
  return (
    <Form submit="Make the invitation" disabled={Number(days) < 1} onSubmit={make}>
      <TextInput
        label="Email"
        description="The only address that it is for; any without one"
        type="email"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label="Role"
        data={[
          { value: 'user', label: 'User' },
          { value: 'admin', label: 'Administrator' },
        ]}
        allowDeselect={false}
        value={role}
        onChange={(value) => setRole(value === 'admin' ? 'admin' : 'user')}
      />
      <NumberInput label="Days until it ends" min={1} max={365} allowDecimal={false} value={days} onChange={setDays} />
    </Form>
  );
}

function Revoke({ id, token }: InvitationRecord) {
  const revoke = useChange('invitations.revoke', 'invitations');
  const ask = (): void =>
    confirm({
      title: `Take back the invitation that ends in ${token}?`,
      body: 'Its link makes no account any more.',
      action: 'Take back',
      destructive: true,
      async run() {
        await revoke.mutateAsync({ params: { invitation_id: id } });
        notify('The invitation is taken back');
      },
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={`Take back ${token}`}>
      Take back
    </Button>
  );
}

const Row = ({ invitation }: { readonly invitation: InvitationRecord }) => (
  <Table.Tr>
    <Table.Td>{invitation.email ?? 'anybody'}</Table.Td>
    <Table.Td>{invitation.role === 'admin' ? 'Administrator' : 'User'}</Table.Td>
    <Table.Td>
      <Text ff="monospace" size="sm">
        …{invitation.token}
      </Text>
    </Table.Td>
    <Table.Td>
      <Moment at={invitation.expires_at} />
    </Table.Td>
    <Table.Td>
      {invitation.used_at === null ? <Revoke {...invitation} /> : `used by ${invitation.used_by ?? '—'}`}
    </Table.Td>
  </Table.Tr>
);

/** Links by which accounts are made, for the people that administrators choose. */
export function Invitations() {
  const policy = useCall('auth.policy', {}).data?.value.sign_up;
  const invitations = useCall('invitations.list', { query: { limit: shownLimit } }).data?.value ?? [];
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<InvitationRecord>();
  const close = (): void => {
    setOpened(false);
    setMade(undefined);
  };
  return (
    <Card
      title="Invitations"
      actions={
        policy !== 'closed' && (
          <Button size="compact-sm" variant="default" onClick={() => setOpened(true)}>
            New invitation
          </Button>
        )
      }
    >
      <Dialog title={made ? 'The invitation' : 'New invitation'} opened={opened} onClose={close}>
        {made ? (
          <ShownOnce what="The link" advice="Send it to one person: one account can be made with it." onClose={close}>
            <Field label="Link" value={linkOf(made.token)} mono />
          </ShownOnce>
        ) : (
          <NewInvitation onMade={setMade} />
        )}
      </Dialog>
      <Stack gap="sm">
        <Text c="dimmed" size="sm">
          {policy && policies[policy]}
        </Text>
        {invitations.length > 0 && (
          <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Invitations">
              <Table.Thead>
                <Table.Tr>
                  {['For', 'Role', 'Ends in', 'Good until', 'Actions'].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {invitations.map((invitation) => (
                  <Row key={invitation.id} invitation={invitation} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Card>
  );
}
