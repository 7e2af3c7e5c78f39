import { Button, Stack, Table } from '@mantine/core';
import type { CustomerRecord, CustomerRole } from '@moorage/api';
import { call } from '../../api/client.ts';
import { renew, useChange } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/organisation.ts';
import { stateName } from '../../texts/states.ts';
import { confirm } from '../../ui/confirm.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { RoleSelect } from '../../ui/role-select.tsx';
import { SmallTable } from '../../ui/small-table.tsx';

type Person = CustomerRecord['users'][number];
type Invited = CustomerRecord['invited'][number];

/** What the roles in a customer are for. */
export const customerRoleTexts: Readonly<Record<CustomerRole, string>> = {
  owner: t.ownerDoes,
  maintainer: t.maintainerDoes,
  operator: t.operatorDoes,
  viewer: t.viewerDoes,
};

// Safe: the keys of the table are all of them.
const customerRoles = Object.keys(customerRoleTexts) as CustomerRole[];

export const roleChoices = customerRoles.map((value) => ({ value, label: stateName(value) }));

interface PersonProps {
  readonly customer: Pick<CustomerRecord, 'id' | 'title'>;
  readonly person: Person;
}

function RoleOf({ customer, person: { user, role } }: PersonProps) {
  const change = useChange('customers.addUser', 'customers');
  const set = async (next: CustomerRole): Promise<void> => {
    await change.mutateAsync({ params: { customer_id: customer.id }, body: { user, role: next } });
    notify(t.isNow(user, stateName(next)));
  };
  return <RoleSelect label={t.roleOf(user)} choices={roleChoices} role={role} onChoose={set} />;
}

function Remove({ customer, person, isSelf }: PersonProps & { readonly isSelf: boolean }) {
  const { user, user_id } = person;
  const ask = (): void =>
    confirm({
      title: isSelf ? t.leaveAsked(customer.title) : t.takeOffAsked(user, customer.title),
      body: t.itsProductsAreGone(user),
      action: isSelf ? t.leave : t.takeOff,
      destructive: true,
      async run() {
        await call('customers.removeUser', { params: { customer_id: customer.id, user_id } });
        await renew('customers', 'users', 'overview', 'products', 'devices');
        notify(t.isOff(user));
      },
    });
  return (
    <Button size="compact-sm" variant="default" onClick={ask} aria-label={isSelf ? t.leave : t.takeOffUser(user)}>
      {isSelf ? t.leave : t.takeOff}
    </Button>
  );
}

/** Somebody who has not accepted yet. */
function InvitedRow({
  customer,
  invited,
  mayChange,
}: Pick<PersonProps, 'customer'> & { readonly invited: Invited; readonly mayChange: boolean }) {
  const { id, user, role } = invited;
  const ask = (): void =>
    confirm({
      title: t.takeBackAsked(user),
      body: t.itCanBeAcceptedNoMore,
      action: t.takeBack,
      destructive: true,
      async run() {
        await call('customers.takeBack', { params: { customer_id: customer.id, membership_id: id } });
        await renew('customers');
        notify(t.isTakenBack(user));
      },
    });
  return (
    <Table.Tr>
      <Table.Td>
        {user}
        <Muted small>{t.isInvited}</Muted>
      </Table.Td>
      <Table.Td>{stateName(role)}</Table.Td>
      <Table.Td>
        {mayChange && (
          <Button size="compact-sm" variant="default" onClick={ask} aria-label={t.takeBackOf(user)}>
            {t.takeBack}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** Who belongs to a customer, as what; to be changed by its owners and by administrators. */
export function PeopleOfCustomer({
  customer,
  mayChange,
}: {
  readonly customer: CustomerRecord;
  readonly mayChange: boolean;
}) {
  const { init } = useInit();
  return (
    <SmallTable label={t.peopleOf(customer.title)} fits columns={[common.user, common.role, common.actions]}>
      {customer.users.map((person) => {
        const isSelf = person.user_id === init?.user.id;
        return (
          <Table.Tr key={person.user_id}>
            <Table.Td>{person.user}</Table.Td>
            <Table.Td>
              {mayChange ? (
                <RoleOf customer={customer} person={person} />
              ) : (
                <Stack gap={0}>
                  {stateName(person.role)}
                  <Muted small>{customerRoleTexts[person.role]}</Muted>
                </Stack>
              )}
            </Table.Td>
            <Table.Td>
              {(mayChange || isSelf) && <Remove customer={customer} person={person} isSelf={isSelf} />}
            </Table.Td>
          </Table.Tr>
        );
      })}
      {customer.invited.map((invited) => (
        <InvitedRow key={invited.id} customer={customer} invited={invited} mayChange={mayChange} />
      ))}
    </SmallTable>
  );
}
