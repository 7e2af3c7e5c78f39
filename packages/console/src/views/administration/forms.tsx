import { Alert, Select, TextInput } from '@mantine/core';
import type { CustomerRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
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
    notify(`Customer ${value.title} is added`);
    onDone();
  };
  return (
    <Form submit="Add the customer" disabled={name === '' || wrong} onSubmit={add}>
      <TextInput
        label="Name"
        description="Letters, digits, dot and underscore; the codes of its products begin with it"
        required
        maxLength={32}
        error={wrong && 'Only letters, digits, "." and "_"'}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Title"
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextInput
        label="First user"
        description="Email or user name of somebody with an account; more can follow"
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
    notify(`${user.trim()} is one of the people of ${customer.title}`);
    onDone();
  };
  return (
    <Form submit="Add the user" disabled={user === ''} onSubmit={add}>
      <TextInput
        label="Email or user name"
        description={`What ${customer.title} owns becomes theirs as well`}
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
    notify(`Product ${value.product} is made`);
    onDone();
  };
  return (
    <Form
      submit="Make the production product"
      disabled={product === null || customer === null || partNumber === ''}
      onSubmit={make}
    >
      <ProductSelect development label="Development product" required value={product} onChange={setProduct} />
      <Select
        label="Customer"
        description={
          customers.data?.value.length === 0
            ? 'There is none yet: add a customer first'
            : 'The owner of the new product'
        }
        data={(customers.data?.value ?? []).map(({ id, title }) => ({ value: id, label: title }))}
        searchable
        nothingFoundMessage="No such customer"
        value={customer}
        onChange={setCustomer}
        required
      />
      <TextInput
        label="Part number"
        description="Under which it is ordered and made; administrators can change it later"
        required
        maxLength={64}
        value={partNumber}
        onChange={(event) => setPartNumber(event.currentTarget.value)}
      />
      <Alert color="blue" variant="outline">
        The new product begins with the bundle of the development product that has the highest tag. A device that is
        activated to it stays on it for good.
      </Alert>
    </Form>
  );
}
