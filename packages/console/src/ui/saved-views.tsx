import { Button, Group, Menu, TextInput } from '@mantine/core';
import type { ViewRecord } from '@moorage/api';
import { IconBookmark } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { renew, useCall } from '../api/queries.ts';
import { common } from '../texts/common.ts';
import { t } from '../texts/lists.ts';
import { bindText } from './bind-text.ts';
import { confirm } from './confirm.tsx';
import { openDialog } from './dialogs.ts';
import { Form } from './form.tsx';
import { notify, notifyError } from './notify.ts';
import type { ListAddress } from './use-list.ts';
import { readView, writeView } from './view-state.ts';

/** As many as a user may have. */
const viewsLimit = 100;

interface TitleFormProps {
  readonly submit: string;
  readonly title?: string;
  readonly onSubmit: (title: string) => Promise<unknown>;
}

function TitleForm({ submit, title: former = '', onSubmit }: TitleFormProps) {
  const [title, setTitle] = useState(former);
  return (
    <Form submit={submit} disabled={title.trim() === ''} onSubmit={() => onSubmit(title.trim())}>
      <TextInput
        label={t.nameOfTheView}
        description={t.whatAViewKeeps}
        maxLength={100}
        {...bindText(title, setTitle)}
        data-autofocus
      />
    </Form>
  );
}

interface SavedViewsProps {
  readonly list: ListAddress;
  /** Under which name the service keeps the views of this list. */
  readonly page: 'devices' | 'logs';
}

/** The views of a list that the user has saved, and what makes, changes and deletes them. */
export function SavedViews({ list, page }: SavedViewsProps) {
  const found = useCall('views.list', { query: { page, limit: viewsLimit } });
  const [lastId, setLastId] = useState<string>();
  const views = found.data?.value ?? [];
  const last = views.find(({ id }) => id === lastId);
  const state = writeView({ search: list.search, columns: list.settings.columns });
  const isShown = (view: ViewRecord): boolean => readView(view.state).search === list.search;

  const show = (view: ViewRecord): void => {
    const { search, columns } = readView(view.state);
    setLastId(view.id);
    list.settings.setColumns(columns);
    list.show(search);
  };
  const save = (): void =>
    openDialog({ title: t.saveThisView }, (close) => (
      <TitleForm
        submit={common.save}
        onSubmit={async (title) => {
          const { value } = await call('views.create', { body: { page, title, state } });
          setLastId(value.id);
          await renew('views');
          close();
        }}
      />
    ));
  const rename = ({ id, title: former }: ViewRecord): void =>
    openDialog({ title: t.renameView(former) }, (close) => (
      <TitleForm
        submit={t.rename}
        title={former}
        onSubmit={async (title) => {
          await call('views.update', { params: { view_id: id }, body: { title } });
          await renew('views');
          close();
        }}
      />
    ));
  const replace = ({ id, title }: ViewRecord): void => {
    call('views.update', { params: { view_id: id }, body: { state } })
      .then(() => renew('views'))
      .then(() => notify(t.showsThisNow(title)), notifyError);
  };
  const remove = ({ id, title }: ViewRecord): void =>
    confirm({
      title: t.deleteView(title),
      body: t.whatDeletingAViewDoes,
      action: t.delete,
      destructive: true,
      async run() {
        await call('views.remove', { params: { view_id: id } });
        await renew('views');
      },
    });

  return (
    <Group component="section" aria-label={t.savedViews} gap="xs">
      {views.map((view) => (
        <Button
          key={view.id}
          size="compact-sm"
          variant={isShown(view) ? 'filled' : 'default'}
          aria-pressed={isShown(view)}
          onClick={() => show(view)}
        >
          {view.title}
        </Button>
      ))}
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="compact-sm" variant="subtle" leftSection={<IconBookmark size={14} aria-hidden />}>
            {t.views}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={save}>{t.saveThisViewMore}</Menu.Item>
          {last && (
            <>
              <Menu.Item onClick={() => replace(last)}>{t.saveOver(last.title)}</Menu.Item>
              <Menu.Item onClick={() => rename(last)}>{t.renameViewMore(last.title)}</Menu.Item>
              <Menu.Item c="red.9" onClick={() => remove(last)}>
                {t.deleteViewMore(last.title)}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
