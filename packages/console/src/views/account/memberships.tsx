import { Button, Group, Stack, Text } from '@mantine/core';
import type { MembershipRecord } from '@moorage/api';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/organisation.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { notify, notifyError } from '../../ui/notify.ts';

/** What changes for the caller with what they belong to. */
const changed = () => renew('memberships', 'customers', 'users', 'overview', 'products', 'devices');

function Invitation({ id, title, role }: MembershipRecord) {
  const params = { membership_id: id };
  const accept = async (): Promise<void> => {
    await call('memberships.accept', { params });
    await changed();
    notify(t.youBelongTo(title));
  };
  const decline = async (): Promise<void> => {
    await call('memberships.decline', { params });
    await changed();
    notify(t.invitationIsDeclined(title));
  };
  const act = (run: () => Promise<void>) => () => void run().catch(notifyError);
  return (
    <Group justify="space-between">
      <Text size="sm">{t.isInvitedTo(title, stateName(role))}</Text>
      <Group gap="xs">
        <Button size="compact-sm" aria-label={t.acceptOf(title)} onClick={act(accept)}>
          {t.accept}
        </Button>
        <Button size="compact-sm" variant="default" aria-label={t.declineOf(title)} onClick={act(decline)}>
          {t.decline}
        </Button>
      </Group>
    </Group>
  );
}

/** What customers have invited the user to; nothing while there is nothing. */
export function Memberships() {
  const invitations = useCall('memberships.list', {}).data?.value ?? [];
  if (invitations.length === 0) return null;
  return (
    <Card title={t.invitations}>
      <Stack gap="xs">
        {invitations.map((invitation) => (
          <Invitation key={invitation.id} {...invitation} />
        ))}
      </Stack>
    </Card>
  );
}
