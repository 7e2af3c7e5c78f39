import { Button } from '@mantine/core';
import { useCall } from '../../api/queries.ts';
import { t as administration } from '../../texts/administration.ts';
import { t } from '../../texts/organisation.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Loaded } from '../../ui/states.tsx';
import { CustomerUserForm } from '../administration/forms.tsx';
import { PeopleOfCustomer } from '../administration/people-of-customer.tsx';

/** The customer that the user belongs to. */
export default function Organisation({ id, isOwner }: { readonly id: string; readonly isOwner: boolean }) {
  const query = useCall('customers.get', { params: { customer_id: id } });
  return (
    <Loaded query={query}>
      {({ value }) => {
        const add = (): void =>
          openDialog({ title: administration.addUserTo(value.title) }, (onDone) => (
            <CustomerUserForm customer={value} onDone={onDone} />
          ));
        return (
          <Card
            title={t.peopleOf(value.title)}
            actions={
              isOwner && (
                <Button size="compact-sm" variant="default" onClick={add}>
                  {administration.addUser}
                </Button>
              )
            }
          >
            <PeopleOfCustomer customer={value} mayChange={isOwner} />
          </Card>
        );
      }}
    </Loaded>
  );
}
