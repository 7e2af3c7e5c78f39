import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { CustomerRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { t } from '../../texts/administration.ts';
import { t as audit } from '../../texts/audit.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as organisation } from '../../texts/organisation.ts';
import { t as shell } from '../../texts/shell.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { Authorities } from './authorities.tsx';
import { CustomerForm, CustomerUserForm } from './forms.tsx';
import { Invitations } from './invitations.tsx';
import { PeopleOfCustomer } from './people-of-customer.tsx';
import { ProductionProducts } from './production.tsx';

const addUser = (customer: CustomerRecord): void =>
  openDialog({ title: t.addUserTo(customer.title) }, (onDone) => (
    <CustomerUserForm customer={customer} onDone={onDone} />
  ));

function People({ id }: { readonly id: string }) {
  const query = useCall('customers.get', { params: { customer_id: id } });
  return <Loaded query={query}>{({ value }) => <PeopleOfCustomer customer={value} mayChange />}</Loaded>;
}

const openPeople = ({ id, title }: CustomerRecord): void =>
  openDialog({ title: organisation.peopleOf(title) }, () => <People id={id} />);

const columns: readonly Column<CustomerRecord>[] = [
  {
    key: 'title',
    title: t.customer,
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
          <Copy value={id} label={t.idOf(title)} />
        </Group>
      </Stack>
    ),
  },
  {
    key: 'users',
    title: t.itsPeople,
    cell: ({ users, invited }) =>
      [
        ...users.map(({ user, role }) => `${user} (${stateName(role)})`),
        ...invited.map(({ user }) => t.isInvited(user)),
      ].join(', ') || t.nobodyYet,
  },
  { key: 'products', title: common.products, from: 'sm', cell: ({ product_count }) => product_count },
  { key: 'created', title: t.added, sort: 'created_at', from: 'md', cell: momentOf('created_at') },
  {
    key: 'actions',
    title: common.actions,
    cell: (customer) => (
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => addUser(customer)}
          aria-label={t.addUserTo(customer.title)}
        >
          {t.addUser}
        </Button>
        {customer.users.length + customer.invited.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => openPeople(customer)}
            aria-label={`${t.itsPeople}: ${customer.title}`}
          >
            {t.itsPeople}
          </Button>
        )}
      </Group>
    ),
  },
];

const filterNames = ['q'] as const;

function Customers() {
  const list = useListAddress('Customers', filterNames);
  const query = { ...list.filters, ...pageOf<'title'>(list) };
  const found = useCall('customers.list', { query }, { keepPrevious: true });
  const add = () => openDialog({ title: t.newCustomer }, (onDone) => <CustomerForm onDone={onDone} />);
  return (
    <Card
      title={t.customers}
      actions={
        <Button size="compact-sm" variant="default" onClick={add}>
          {t.newCustomer}
        </Button>
      }
    >
      <Stack gap="sm">
        <Group role="search">
          <SearchBox
            label={t.searchCustomersByNameOr}
            placeholder={t.nameOrTitle}
            value={list.filters.q}
            onChange={(value) => list.setFilter('q', value)}
          />
        </Group>
        <DataTable
          label={t.customers}
          noun={nouns.customer}
          columns={columns}
          query={found}
          list={list}
          idOf={({ id }) => id}
          empty={
            <Empty title={list.filters.q ? t.noCustomerFits : t.thereIsNoCustomerYet}>
              {list.filters.q ? t.noNameOrTitleHas : t.customerIsOrganisationThatOwns}
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
    <Card title={t.thisService}>
      <Fields>
        <Field label={common.version}>{init?.server.version ?? '—'}</Field>
        <Field label={t.apiDocumentation}>
          <Anchor inherit href="/docs">
            /docs
          </Anchor>
        </Field>
        <Field label={t.figuresForMonitoring}>{t.metricsWithTokenOfAdministrator}</Field>
        <Field label={t.certificateOfItsAuthority}>
          <Anchor inherit href="/api/ca.pem" download>
            ca.pem
          </Anchor>
        </Field>
        <Field label={t.accounts}>
          <PageLink href="/administration/accounts">{t.listOfAccounts}</PageLink>
        </Field>
        <Field label={shell.platforms}>
          <PageLink href="/platforms">{t.listOfPlatforms}</PageLink>
        </Field>
        <Field label={t.allDevices}>
          <PageLink href="/devices">{t.listOfDevices}</PageLink>
        </Field>
        <Field label={audit.whoHasChangedWhatShort}>
          <PageLink href="/administration/audit">{audit.audit}</PageLink>
        </Field>
        <Field label={t.everythingThatHappened}>
          <PageLink href="/logs">{common.logs}</PageLink>
        </Field>
      </Fields>
    </Card>
  );
}

/** What only administrators do. */
export default function Administration() {
  const isAdmin = useIsAdmin();
  return (
    <Page title={t.administration} description={isAdmin && t.whatOnlyAdministratorsSeeAnd}>
      {isAdmin ? (
        <>
          <Customers />
          <ProductionProducts />
          <Invitations />
          <Authorities />
          <Service />
        </>
      ) : (
        <Empty title={t.thisPageIsForAdministrators}>{t.askOneOfThemTo}</Empty>
      )}
    </Page>
  );
}
