import { Button, Group, Image, Stack, Text } from '@mantine/core';
import type { PlatformRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { addressOf } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialog.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useAskedFor } from '../../ui/use-asked-for.ts';
import { useListAddress } from '../../ui/use-list.ts';
import { PlatformForm } from './platform-forms.tsx';

const filterNames = ['q'] as const;

const columns: readonly Column<PlatformRecord>[] = [
  {
    key: 'title',
    title: 'Platform',
    sort: 'title',
    cell: ({ id, title, avatar_id }) => (
      <Group gap="sm" wrap="nowrap">
        <Image
          src={addressOf('avatars.platform', { params: { platform_id: id, ...(avatar_id && { avatar_id }) } })}
          alt=""
          w={36}
          h={36}
          radius="sm"
          fit="contain"
        />
        <PageLink href={`/platforms/${id}`} fw={600}>
          {title}
        </PageLink>
      </Group>
    ),
  },
  {
    key: 'code',
    title: 'Code',
    sort: 'code',
    cell: ({ code }) => (
      <Text size="sm" ff="monospace">
        {code}
      </Text>
    ),
  },
  { key: 'manufacturer', title: 'Manufacturer', from: 'sm', cell: ({ manufacturer }) => manufacturer ?? '—' },
  { key: 'editions', title: 'Editions', from: 'sm', cell: ({ flavor_ids }) => flavor_ids.length },
  {
    key: 'created',
    title: 'Added',
    sort: 'created_at',
    from: 'md',
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
];

/** Hardware that products are made for. */
export default function Platforms() {
  const list = useListAddress(filterNames);
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const query = {
    ...list.filters,
    ...(list.sort !== undefined && { sort: list.sort as 'code' }),
    limit: list.limit,
    offset: list.offset,
  };
  const found = useCall('platforms.list', { query }, { keepPrevious: true });
  const add = (): void => {
    openDialog({ title: 'New platform' }, (close) => (
      <PlatformForm
        onDone={(platform) => {
          close();
          navigate(`/platforms/${platform.id}`);
        }}
      />
    ));
  };
  useAskedFor('new', () => isAdmin && add());
  const button = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      New platform
    </Button>
  );
  return (
    <Page
      title="Platforms"
      description="Hardware that the module's firmware runs on. Products and devices are made for one of them."
      actions={button}
    >
      <Group role="search">
        <SearchBox
          label="Search platforms by title or code"
          placeholder="Title or code"
          value={list.filters.q}
          onChange={(value) => list.setFilter('q', value)}
        />
      </Group>
      <DataTable
        label="Platforms"
        noun="platform"
        columns={columns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title={list.filters.q ? 'No platform fits' : 'There is no platform yet'}>
            <Stack align="center" gap="xs">
              {list.filters.q
                ? 'No title or code has this text.'
                : 'A platform is the first thing a service needs: its code, and the first digits of the uuids of its devices.'}
              {!list.filters.q && button}
            </Stack>
          </Empty>
        }
      />
    </Page>
  );
}
