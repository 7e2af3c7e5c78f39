import { Button, NumberInput, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { InvitationRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { openMade } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { SmallTable } from '../../ui/small-table.tsx';

/** Invitations that are shown, the newest first. */
const shownLimit = 50;

const linkOf = (token: string): string => `${window.location.origin}/sign-up#${encodeURIComponent(token)}`;

const policies = {
  open: t.anybodyWhoReachesThisService,
  invite: t.accountNeedsInvitation,
  closed: t.accountsAreMadeOnCommand,
} as const;

function NewInvitation({ onMade }: { readonly onMade: (made: InvitationRecord) => void }) {
  const create = useChange('invitations.create', 'invitations');
  const form = useForm({
    initialValues: { email: '', role: 'user' as 'user' | 'admin', days: 7 as number | string },
    validate: { days: (days) => Number(days) < 1 },
  });
  const make = async (): Promise<void> => {
    const { email, role, days } = form.values;
    onMade(await create.mutateAsync({ body: { role, days: Number(days), ...(email !== '' && { email }) } }));
  };
  return (
    <Form submit={t.makeInvitation} fields={form} disabled={!form.isValid()} onSubmit={make}>
      <TextInput
        label={common.email}
        description={t.onlyAddressThatItIs}
        type="email"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Select
        label={common.role}
        data={[
          { value: 'user', label: common.user },
          { value: 'admin', label: t.administrator },
        ]}
        allowDeselect={false}
        {...form.getInputProps('role')}
      />
      <NumberInput label={t.daysUntilItEnds} min={1} max={365} allowDecimal={false} {...form.getInputProps('days')} />
    </Form>
  );
}

const openNew = () =>
  openMade<InvitationRecord>(
    { form: t.newInvitation, made: t.invitation },
    (onMade) => <NewInvitation onMade={onMade} />,
    (made, close) => (
      <ShownOnce what={t.link} advice={t.sendItToOnePerson} onClose={close}>
        <Field label={t.link2} value={linkOf(made.token)} mono />
      </ShownOnce>
    ),
  );

function Revoke({ id, token }: InvitationRecord) {
  const revoke = useChange('invitations.revoke', 'invitations');
  const ask = (): void =>
    confirm({
      title: t.takeBackInvitationThatEnds(token),
      body: t.itsLinkMakesNoAccount,
      action: t.takeBack,
      destructive: true,
      run: () => revoke.mutateAsync({ params: { invitation_id: id } }),
      done: t.invitationIsTakenBack,
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={t.takeBackToken(token)}>
      {t.takeBack}
    </Button>
  );
}

const Row = ({ invitation }: { readonly invitation: InvitationRecord }) => (
  <Table.Tr>
    <Table.Td>{invitation.email ?? t.anybody}</Table.Td>
    <Table.Td>{invitation.role === 'admin' ? t.administrator : common.user}</Table.Td>
    <Table.Td>
      <Text ff="monospace" size="sm">
        …{invitation.token}
      </Text>
    </Table.Td>
    <Table.Td>
      <Moment at={invitation.expires_at} />
    </Table.Td>
    <Table.Td>
      {invitation.used_at === null ? <Revoke {...invitation} /> : t.usedBy(invitation.used_by ?? '—')}
    </Table.Td>
  </Table.Tr>
);

/** Links by which accounts are made, for the people that administrators choose. */
export function Invitations() {
  const policy = useCall('auth.policy', {}).data?.value.sign_up;
  const invitations = useCall('invitations.list', { query: { limit: shownLimit } }).data?.value ?? [];
  return (
    <Card
      title={t.invitations}
      actions={
        policy !== 'closed' && (
          <Button size="compact-sm" variant="default" onClick={openNew}>
            {t.newInvitation}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Muted>{policy && policies[policy]}</Muted>
        {invitations.length > 0 && (
          <SmallTable label={t.invitations} columns={[common.for, common.role, t.endsIn, t.goodUntil, common.actions]}>
            {invitations.map((invitation) => (
              <Row key={invitation.id} invitation={invitation} />
            ))}
          </SmallTable>
        )}
      </Stack>
    </Card>
  );
}
