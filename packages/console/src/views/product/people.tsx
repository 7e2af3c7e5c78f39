import { ActionIcon, Button, Group, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ProductUserRecord } from '@moorage/api';
import { IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import type { TabProps } from './tab-props.ts';

type Role = ProductUserRecord['role'];

const roles: readonly { readonly value: Role; readonly label: string; readonly says: string }[] = [
  { value: 'manager', label: 'Manager', says: 'Changes texts, bundles, tags, assets and connectors' },
  { value: 'tester', label: 'Tester', says: 'Sees the product and can activate devices to it' },
];

const roleChoices = roles.map(({ value, label }) => ({ value, label }));
const isRole = (value: string | null): value is Role => roles.some((role) => role.value === value);

const noFilters: readonly string[] = [];

function RoleOf({ person, productId }: { readonly person: ProductUserRecord; readonly productId: string }) {
  const add = useChange('productPeople.add', 'productPeople');
  return (
    <Select
      aria-label={`Role of ${person.user}`}
      data={roleChoices}
      value={person.role}
      allowDeselect={false}
      disabled={add.isPending}
      w={130}
      onChange={(role) => {
        if (!isRole(role)) return;
        const input = { params: { product_id: productId }, body: { user: person.user, role } };
        add.mutateAsync(input).then(() => notify(`${person.user} is ${role} now`), notifyError);
      }}
    />
  );
}

function Remove({ person, productId }: { readonly person: ProductUserRecord; readonly productId: string }) {
  const remove = useChange('productPeople.remove', 'productPeople');
  const ask = (): void =>
    confirm({
      title: `Take ${person.user} off the product?`,
      body: 'They no longer see it unless it is published. Devices of their own stay activated to it.',
      action: 'Take off',
      destructive: true,
      async run() {
        await remove.mutateAsync({ params: { product_id: productId, user_id: person.user_id } });
        notify(`${person.user} is off the product`);
      },
    });
  return (
    <Tooltip label="Take off the product">
      <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label={`Take ${person.user} off the product`}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const columnsFor = (productId: string, mayAdminister: boolean): readonly Column<ProductUserRecord>[] => [
  {
    key: 'user',
    title: 'User',
    sort: 'user',
    cell: ({ user, name_given, name_family }) => (
      <>
        {user}
        <Text size="xs" c="dimmed">
          {`${name_given} ${name_family}`.trim()}
        </Text>
      </>
    ),
  },
  {
    key: 'role',
    title: 'Role',
    sort: 'role',
    cell: (person) => (mayAdminister ? <RoleOf person={person} productId={productId} /> : person.role),
  },
  {
    key: 'since',
    title: 'Since',
    sort: 'created_at',
    from: 'sm',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  ...(mayAdminister
    ? [
        {
          key: 'actions',
          title: 'Actions',
          cell: (person: ProductUserRecord) => <Remove person={person} productId={productId} />,
        },
      ]
    : []),
];

function AddPerson({ productId, onClose }: { readonly productId: string; readonly onClose: () => void }) {
  const add = useChange('productPeople.add', 'productPeople');
  const [user, setUser] = useState('');
  const [role, setRole] = useState<Role>('manager');
  const submit = async (): Promise<void> => {
    const made = await add.mutateAsync({ params: { product_id: productId }, body: { user: user.trim(), role } });
    notify(`${made.user} is ${made.role} now`);
    onClose();
  };
  return (
    <Form submit="Add the user" onSubmit={submit} disabled={user.trim() === ''}>
      <TextInput
        label="User name or email"
        description="They need an account at this service already"
        data-autofocus
        required
        maxLength={254}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <Select
        label="Role"
        description={roles.find(({ value }) => value === role)?.says}
        data={roleChoices}
        allowDeselect={false}
        value={role}
        onChange={(value) => isRole(value) && setRole(value)}
      />
    </Form>
  );
}

/** Who works on the product beside its owner. */
export default function People({ product, mayAdminister }: TabProps) {
  const list = useListAddress(noFilters);
  const [opened, dialog] = useDisclosure();
  // Safe: the columns name the fields that the service can sort by.
  const sort = list.sort as 'user' | undefined;
  const query = { limit: list.limit, offset: list.offset, ...(sort !== undefined && { sort }) };
  const people = useCall('productPeople.list', { params: { product_id: product.id }, query }, { keepPrevious: true });
  const add = mayAdminister && (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={dialog.open}>
      Add a user
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Owner: {product.customer ?? product.user ?? 'nobody'}. {!mayAdminister && 'Only the owner lets people in.'}
        </Text>
        {add}
      </Group>
      <Dialog title="Add a user" opened={opened} onClose={dialog.close}>
        <AddPerson productId={product.id} onClose={dialog.close} />
      </Dialog>
      <DataTable
        label="Users of the product"
        noun="user"
        columns={columnsFor(product.id, mayAdminister)}
        query={people}
        list={list}
        idOf={({ user_id }) => user_id}
        empty={<Empty title="Nobody else works on this product">Managers change it; testers try it out.</Empty>}
      />
    </Stack>
  );
}
