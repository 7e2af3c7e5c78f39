import { Alert, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { CustomerRecord, CustomerRole } from '@moorage/api';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { ProductSelect } from '../../ui/product-select.tsx';
import { customerRoleTexts, roleChoices } from './people-of-customer.tsx';

interface FormProps {
  readonly onDone: () => void;
}

/** Asks for a new customer. */
export function CustomerForm({ onDone }: FormProps) {
  const form = useForm({
    initialValues: { name: '', title: '', users: '' },
    validateInputOnChange: true,
    validate: {
      name: (name) => needed(name) ?? (/^[A-Za-z0-9_.]{1,32}$/.test(name) ? null : t.onlyLettersDigitsAnd),
    },
  });
  const add = async (): Promise<void> => {
    const { name, title, users } = form.values;
    const body = { name, ...(title !== '' && { title }), ...(users !== '' && { users: [users] }) };
    const { value } = await call('customers.create', { body });
    await renew('customers');
    notify(t.customerIsAdded(value.title));
    onDone();
  };
  return (
    <Form submit={t.addCustomer} disabled={!form.isValid()} fields={form} onSubmit={add}>
      <TextInput
        label={common.name}
        description={t.lettersDigitsDotAndUnderscore}
        required
        maxLength={32}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput label={common.title} maxLength={128} {...form.getInputProps('title')} />
      <TextInput label={t.firstUser} description={t.emailOrUserNameOf} {...form.getInputProps('users')} />
    </Form>
  );
}

/** Asks for a user to become one of the people of a customer. */
export function CustomerUserForm({ customer, onDone }: FormProps & { readonly customer: CustomerRecord }) {
  const initialValues: { user: string; role: CustomerRole } = { user: '', role: 'owner' };
  const form = useForm({ initialValues, validateInputOnChange: true, validate: { user: needed } });
  const add = async (): Promise<void> => {
    const user = form.values.user.trim();
    const body = { user, role: form.values.role };
    const { value } = await call('customers.addUser', { params: { customer_id: customer.id }, body });
    await renew('customers', 'users', 'overview');
    // Who names themselves, or one of the people, invites nobody.
    if (value.invited.some((one) => one.user === user.toLowerCase())) notify(t.isInvitedTo(user, customer.title));
    onDone();
  };
  return (
    <Form submit={t.addTheUser} disabled={!form.isValid()} fields={form} onSubmit={add}>
      <TextInput label={t.emailOrUserName} required data-autofocus {...form.getInputProps('user')} />
      <Select
        label={common.role}
        description={customerRoleTexts[form.values.role]}
        data={roleChoices}
        allowDeselect={false}
        {...form.getInputProps('role')}
      />
    </Form>
  );
}

/** Asks for what a production product is made from. */
export function ProductionForm({ onDone }: FormProps) {
  const form = useForm({
    initialValues: { product: null as string | null, customer_id: null as string | null, part_number: '' },
    validateInputOnChange: true,
    validate: { product: needed, customer_id: needed, part_number: needed },
  });
  const customers = useCall('customers.list', { query: { limit: 500 } });
  const make = async (): Promise<void> => {
    const { product, customer_id, part_number } = form.values;
    if (product === null || customer_id === null) return;
    const body = { customer_id, part_number };
    const { value } = await call('productPeople.makeProduction', { params: { product_id: product }, body });
    await renew('products', 'customers');
    notify(t.productIsMade(value.product));
    onDone();
  };
  return (
    <Form submit={t.makeProductionProduct} disabled={!form.isValid()} fields={form} onSubmit={make}>
      <ProductSelect
        development
        label={t.developmentProduct}
        required
        value={form.values.product}
        onChange={(product) => form.setFieldValue('product', product)}
      />
      <Select
        label={t.customer}
        description={customers.data?.value.length === 0 ? t.thereIsNoneYetAdd : t.ownerOfNewProduct}
        data={(customers.data?.value ?? []).map(({ id, title }) => ({ value: id, label: title }))}
        searchable
        nothingFoundMessage={t.noSuchCustomer}
        {...form.getInputProps('customer_id')}
        required
      />
      <TextInput
        label={common.partNumber}
        description={t.underWhichItIsOrdered}
        required
        maxLength={64}
        {...form.getInputProps('part_number')}
      />
      <Alert color="blue" variant="outline">
        {t.newProductBeginsWithBundle}
      </Alert>
    </Form>
  );
}
