import { Button, Group, Image, Stack, Text } from '@mantine/core';
import type { PlatformRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { addressOf } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/platforms.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useAskedFor } from '../../ui/use-asked-for.ts';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { PlatformForm } from './platform-forms.tsx';

const filterNames = ['q'] as const;

const columns: readonly Column<PlatformRecord>[] = [
  {
    key: 'title',
    title: common.platform,
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
    title: common.code,
    sort: 'code',
    cell: ({ code }) => (
      <Text size="sm" ff="monospace">
        {code}
      </Text>
    ),
  },
  { key: 'manufacturer', title: t.manufacturer, from: 'sm', cell: ({ manufacturer }) => manufacturer ?? '—' },
  { key: 'editions', title: t.editions, from: 'sm', cell: ({ flavor_ids }) => flavor_ids.length },
  { key: 'created', title: t.added, sort: 'created_at', from: 'md', cell: momentOf('created_at') },
];

/** Hardware that products are made for. */
export default function Platforms() {
  const list = useListAddress('Platforms', filterNames);
  const isAdmin = useIsAdmin();
  const [, navigate] = useLocation();
  const query = { ...list.filters, ...pageOf<'code'>(list) };
  const found = useCall('platforms.list', { query }, { keepPrevious: true });
  const add = (): void => {
    openDialog({ title: t.newPlatform }, (close) => (
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
      {t.newPlatform}
    </Button>
  );
  return (
    <Page title={t.platforms} description={t.hardwareThatModulesFirmwareRuns} actions={button}>
      <Group role="search">
        <SearchBox
          label={t.searchPlatformsByTitleOr}
          placeholder={t.titleOrCode}
          value={list.filters.q}
          onChange={(value) => list.setFilter('q', value)}
        />
      </Group>
      <DataTable
        label={t.platforms}
        noun={nouns.platform}
        columns={columns}
        query={found}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title={list.filters.q ? t.noPlatformFits : t.thereIsNoPlatformYet}>
            <Stack align="center" gap="xs">
              {list.filters.q ? t.noTitleOrCodeHas : t.platformIsFirstThingService}
              {!list.filters.q && button}
            </Stack>
          </Empty>
        }
      />
    </Page>
  );
}
