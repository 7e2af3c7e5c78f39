import { ActionIcon, Button, Group, Select, Stack, TextInput, Tooltip } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ProductUserRecord } from '@moorage/api';
import { IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useCall, useChange } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { stateName } from '../../texts/states.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { RoleSelect } from '../../ui/role-select.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { MoveAnywhere } from './move-anywhere.tsx';
import { MoveProduct } from './move-product.tsx';
import { ServiceAccounts } from './service-accounts.tsx';
import type { TabProps } from './tab-props.ts';

type Role = ProductUserRecord['role'];

const roles: readonly { readonly value: Role; readonly label: string; readonly says: string }[] = [
  { value: 'manager', label: t.manager, says: t.changesTextsBundlesTagsAssets },
  { value: 'tester', label: t.tester, says: t.seesProductAndCanActivate },
];

const roleChoices = roles.map(({ value, label }) => ({ value, label }));

function RoleOf({ person, productId }: { readonly person: ProductUserRecord; readonly productId: string }) {
  const { user } = person;
  const add = useChange('productPeople.add', 'productPeople');
  const set = async (role: Role): Promise<void> => {
    await add.mutateAsync({ params: { product_id: productId }, body: { user, role } });
    notify(t.isNow(user, stateName(role)));
  };
  return <RoleSelect label={t.roleOf(user)} choices={roleChoices} role={person.role} onChoose={set} />;
}

function Remove({ person, productId }: { readonly person: ProductUserRecord; readonly productId: string }) {
  const remove = useChange('productPeople.remove', 'productPeople');
  const ask = (): void =>
    confirm({
      title: t.takeOffProduct(person.user),
      body: t.theyNoLongerSeeIt,
      action: t.takeOff,
      destructive: true,
      run: () => remove.mutateAsync({ params: { product_id: productId, user_id: person.user_id } }),
      done: t.isOffProduct(person.user),
    });
  return (
    <Tooltip label={t.takeOffTheProduct}>
      <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label={t.takeOffProductUser(person.user)}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

const columnsFor = (productId: string, mayAdminister: boolean): readonly Column<ProductUserRecord>[] => [
  {
    key: 'user',
    title: common.user,
    sort: 'user',
    cell: ({ user, name_given, name_family }) => (
      <>
        {user}
        <Muted small>{`${name_given} ${name_family}`.trim()}</Muted>
      </>
    ),
  },
  {
    key: 'role',
    title: common.role,
    sort: 'role',
    cell: (person) => (mayAdminister ? <RoleOf person={person} productId={productId} /> : stateName(person.role)),
  },
  { key: 'since', title: common.since, sort: 'created_at', from: 'sm', cell: momentOf('created_at') },
  ...(mayAdminister
    ? [
        {
          key: 'actions',
          title: common.actions,
          cell: (person: ProductUserRecord) => <Remove person={person} productId={productId} />,
        },
      ]
    : []),
];

function AddPerson({ productId, onClose }: { readonly productId: string; readonly onClose: () => void }) {
  const add = useChange('productPeople.add', 'productPeople');
  const form = useForm({ initialValues: { user: '', role: 'manager' as Role }, validate: { user: needed } });
  const submit = async (): Promise<void> => {
    const { user, role } = form.values;
    const made = await add.mutateAsync({ params: { product_id: productId }, body: { user: user.trim(), role } });
    notify(t.isNow(made.user, stateName(made.role)));
    onClose();
  };
  return (
    <Form submit={t.addUser} onSubmit={submit} fields={form} disabled={!form.isValid()}>
      <TextInput
        label={t.userNameOrEmail}
        description={t.theyNeedAccountAtThis}
        data-autofocus
        required
        maxLength={254}
        {...form.getInputProps('user')}
      />
      <Select
        label={common.role}
        description={roles.find(({ value }) => value === form.values.role)?.says}
        data={roleChoices}
        allowDeselect={false}
        {...form.getInputProps('role')}
      />
    </Form>
  );
}

/** Who works on the product beside its owner. */
export default function People({ product, mayAdminister, mayChange }: TabProps) {
  const admin = useIsAdmin();
  const list = useListAddress('Users of the product');
  const [opened, dialog] = useDisclosure();
  const query = pageOf<'user'>(list);
  const people = useCall('productPeople.list', { params: { product_id: product.id }, query }, { keepPrevious: true });
  const add = mayAdminister && (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={dialog.open}>
      {t.addAUser}
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted>
          {t.ownerIs(product.customer ?? product.user ?? t.nobody)} {!mayAdminister && t.onlyOwnerLetsPeopleIn}
        </Muted>
        <Group gap="xs">
          {mayAdminister && (admin ? <MoveAnywhere product={product} /> : <MoveProduct product={product} />)}
          {add}
        </Group>
      </Group>
      <Dialog title={t.addAUser} opened={opened} onClose={dialog.close}>
        <AddPerson productId={product.id} onClose={dialog.close} />
      </Dialog>
      <DataTable
        label={t.usersOfProduct}
        noun={nouns.user}
        columns={columnsFor(product.id, mayAdminister)}
        query={people}
        list={list}
        idOf={({ user_id }) => user_id}
        empty={<Empty title={t.nobodyElseWorksOnThis}>{t.managersChangeItTestersTry}</Empty>}
      />
      {mayChange && <ServiceAccounts productId={product.id} />}
    </Stack>
  );
}
