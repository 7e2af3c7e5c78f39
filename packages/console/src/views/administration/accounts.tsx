import { Group } from '@mantine/core';
import type { InputOf, ListedUserRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { stateName } from '../../texts/states.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { AccountActions } from './account-actions.tsx';

const filterNames = ['q', 'role'] as const;
const crumbs = [{ title: t.administration, href: '/administration' }];

const columns: readonly Column<ListedUserRecord>[] = [
  {
    key: 'username',
    title: common.user,
    sort: 'username',
    cell: ({ username, name_given, name_family }) => (
      <>
        {username}
        <Muted small>{`${name_given} ${name_family}`.trim()}</Muted>
      </>
    ),
  },
  {
    key: 'email',
    title: common.email,
    sort: 'email',
    cell: ({ email }) => <span style={{ overflowWrap: 'anywhere' }}>{email}</span>,
  },
  {
    key: 'role',
    title: common.role,
    from: 'sm',
    cell: ({ role, disabled_at }) => (disabled_at === null ? stateName(role) : stateName('disabled')),
  },
  { key: 'organisation', title: t.organisation, from: 'lg', cell: ({ organisation }) => organisation },
  { key: 'created', title: t.madeAt, sort: 'created_at', from: 'md', cell: momentOf('created_at') },
  {
    key: 'logs',
    title: common.logs,
    from: 'sm',
    cell: ({ username }) => (
      <PageLink href={`/logs?user=${encodeURIComponent(username)}`} inherit>
        {t.whatTheyDid}
      </PageLink>
    ),
  },
  { key: 'actions', title: common.actions, cell: (user) => <AccountActions user={user} /> },
];

/** Every account of the service. */
export default function Accounts() {
  const list = useListAddress('Accounts', filterNames);
  // Safe: the service refuses an order that it does not know, and the page shows that.
  const query = {
    ...list.filters,
    ...pageOf(list),
  } as NonNullable<InputOf<'users.list'>['query']>;
  const found = useCall('users.list', { query }, { keepPrevious: true });
  return (
    <Page title={t.accounts} crumbs={crumbs}>
      <Group role="search" aria-label={t.searchAccounts}>
        <SearchBox
          label={t.searchAccounts}
          placeholder={t.partOfAccount}
          value={list.filters.q}
          onChange={(q) => list.setFilter('q', q)}
        />
      </Group>
      <DataTable
        label={t.accounts}
        noun={nouns.user}
        columns={columns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.noAccountFits} />}
      />
    </Page>
  );
}
