import { Alert, Select, TextInput } from '@mantine/core';
import type { CustomerRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { ProductSelect } from '../devices/filters.tsx';

interface FormProps {
  readonly onDone: () => void;
}

/** Asks for a new customer. */
export function CustomerForm({ onDone }: FormProps) {
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [user, setUser] = useState('');
  const wrong = name !== '' && !/^[A-Za-z0-9_.]{1,32}$/.test(name);
  const add = async (): Promise<void> => {
    const body = { name, ...(title !== '' && { title }), ...(user !== '' && { users: [user] }) };
    const { value } = await call('customers.create', { body });
    await renew('customers');
    notify(t.customerIsAdded(value.title));
    onDone();
  };
  return (
    <Form submit={t.addCustomer} disabled={name === '' || wrong} onSubmit={add}>
      <TextInput
        label={common.name}
        description={t.lettersDigitsDotAndUnderscore}
        required
        maxLength={32}
        error={wrong && t.onlyLettersDigitsAnd}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={common.title}
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextInput
        label={t.firstUser}
        description={t.emailOrUserNameOf}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
    </Form>
  );
}

/** Asks for a user to become one of the people of a customer. */
export function CustomerUserForm({ customer, onDone }: FormProps & { readonly customer: CustomerRecord }) {
  const [user, setUser] = useState('');
  const add = async (): Promise<void> => {
    await call('customers.addUser', { params: { customer_id: customer.id }, body: { user: user.trim() } });
    await renew('customers');
    notify(t.isOneOfPeopleOf(user.trim(), customer.title));
    onDone();
  };
  return (
    <Form submit={t.addTheUser} disabled={user === ''} onSubmit={add}>
      <TextInput
        label={t.emailOrUserName}
        description={t.whatOwnsBecomesTheirsAs(customer.title)}
        required
        data-autofocus
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
    </Form>
  );
}

/** Asks for what a production product is made from. */
export function ProductionForm({ onDone }: FormProps) {
  const [product, setProduct] = useState<string | null>(null);
  const [customer, setCustomer] = useState<string | null>(null);
  const [partNumber, setPartNumber] = useState('');
  const customers = useCall('customers.list', { query: { limit: 500 } });
  const make = async (): Promise<void> => {
    if (product === null || customer === null) return;
    const body = { customer_id: customer, part_number: partNumber };
    const { value } = await call('productPeople.makeProduction', { params: { product_id: product }, body });
    await renew('products', 'customers');
    notify(t.productIsMade(value.product));
    onDone();
  };
  return (
    <Form
      submit={t.makeProductionProduct}
      disabled={product === null || customer === null || partNumber === ''}
      onSubmit={make}
    >
      <ProductSelect development label={t.developmentProduct} required value={product} onChange={setProduct} />
      <Select
        label={t.customer}
        description={customers.data?.value.length === 0 ? t.thereIsNoneYetAdd : t.ownerOfNewProduct}
        data={(customers.data?.value ?? []).map(({ id, title }) => ({ value: id, label: title }))}
        searchable
        nothingFoundMessage={t.noSuchCustomer}
        value={customer}
        onChange={setCustomer}
        required
      />
      <TextInput
        label={common.partNumber}
        description={t.underWhichItIsOrdered}
        required
        maxLength={64}
        value={partNumber}
        onChange={(event) => setPartNumber(event.currentTarget.value)}
      />
      <Alert color="blue" variant="outline">
        {t.newProductBeginsWithBundle}
      </Alert>
    </Form>
  );
}
