import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { CustomerRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialog.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { Authorities } from './authorities.tsx';
import { CustomerForm, CustomerUserForm } from './forms.tsx';
import { Invitations } from './invitations.tsx';
import { ProductionProducts } from './production.tsx';

const addUser = (customer: CustomerRecord): void =>
  openDialog({ title: `Add a user to ${customer.title}` }, (onDone) => (
    <CustomerUserForm customer={customer} onDone={onDone} />
  ));

const columns: readonly Column<CustomerRecord>[] = [
  {
    key: 'title',
    title: 'Customer',
    sort: 'title',
    cell: ({ title, name, id }) => (
      <Stack gap={0}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Group gap={2} wrap="nowrap">
          <Text size="xs" c="dimmed" ff="monospace">
            {name}
          </Text>
          <Copy value={id} label={`id of ${title}`} />
        </Group>
      </Stack>
    ),
  },
  { key: 'users', title: 'Its people', cell: ({ users }) => users.map(({ user }) => user).join(', ') || 'nobody yet' },
  { key: 'products', title: 'Products', from: 'sm', cell: ({ product_count }) => product_count },
  {
    key: 'created',
    title: 'Added',
    sort: 'created_at',
    from: 'md',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    cell: (customer) => (
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => addUser(customer)}
        aria-label={`Add a user to ${customer.title}`}
      >
        Add a user
      </Button>
    ),
  },
];

const filterNames = ['q'] as const;

function Customers() {
  const list = useListAddress(filterNames);
  const query = {
    ...list.filters,
    ...(list.sort !== undefined && { sort: list.sort as 'title' }),
    limit: list.limit,
    offset: list.offset,
  };
  const found = useCall('customers.list', { query }, { keepPrevious: true });
  const add = () => openDialog({ title: 'New customer' }, (onDone) => <CustomerForm onDone={onDone} />);
  return (
    <Card
      title="Customers"
      actions={
        <Button size="compact-sm" variant="default" onClick={add}>
          New customer
        </Button>
      }
    >
      <Stack gap="sm">
        <Group role="search">
          <SearchBox
            label="Search customers by name or title"
            placeholder="Name or title"
            value={list.filters.q}
            onChange={(value) => list.setFilter('q', value)}
          />
        </Group>
        <DataTable
          label="Customers"
          noun="customer"
          columns={columns}
          query={found}
          list={list}
          idOf={({ id }) => id}
          empty={
            <Empty title={list.filters.q ? 'No customer fits' : 'There is no customer yet'}>
              {list.filters.q
                ? 'No name or title has this text.'
                : 'A customer is an organisation that owns production products. Add it before the first of them.'}
            </Empty>
          }
        />
      </Stack>
    </Card>
  );
}

function Service() {
  const { init } = useInit();
  return (
    <Card title="This service">
      <Fields>
        <Field label="Version">{init?.server.version ?? '—'}</Field>
        <Field label="API documentation">
          <Anchor inherit href="/docs">
            /docs
          </Anchor>
        </Field>
        <Field label="Figures for monitoring">/metrics, with a token of an administrator</Field>
        <Field label="Certificate of its authority">
          <Anchor inherit href="/api/ca.pem" download>
            ca.pem
          </Anchor>
        </Field>
        <Field label="All devices">
          <PageLink href="/devices">List of devices</PageLink>
        </Field>
        <Field label="Everything that happened">
          <PageLink href="/logs">Logs</PageLink>
        </Field>
      </Fields>
    </Card>
  );
}

/** What only administrators do. */
export default function Administration() {
  const isAdmin = useIsAdmin();
  return (
    <Page title="Administration" description={isAdmin && 'What only administrators see and do.'}>
      {isAdmin ? (
        <>
          <Customers />
          <ProductionProducts />
          <Invitations />
          <Authorities />
          <Service />
        </>
      ) : (
        <Empty title="This page is for administrators">Ask one of them to do what you need.</Empty>
      )}
    </Page>
  );
}
