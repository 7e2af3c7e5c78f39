import { ActionIcon, Anchor, Code, Group, Stack, TextInput, Tooltip } from '@mantine/core';
import { type FileRecord, fileLimitBytes, storeLimits } from '@moorage/api';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { formatCount, formatSize } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FileDrop, UploadList } from '../../ui/file-drop.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { allPaths, askReplace } from '../../ui/replace.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useUploads } from '../../ui/uploads.ts';
import { useListAddress } from '../../ui/use-list.ts';
import { Backups } from './backups.tsx';
import type { TabProps } from './tab-props.ts';
import { replacedBy, uploadPath } from './upload-path.ts';
import { VendorSwitch } from './vendor-switch.tsx';

const filterNames = ['q'] as const;
const sortFields = ['path', 'size', 'created_at', 'updated_at'] as const;

const pathsOf = (device_id: string): Promise<string[]> =>
  allPaths((query) => call('deviceFiles.list', { params: { device_id }, query }));

/** Sends files after asking for those that are there already. */
function useSending(deviceId: string, folder: string) {
  const { queue, uploads } = useUploads(`device:${deviceId}`);
  const pathOf = (file: File): string => uploadPath(folder, file);
  const add = (files: readonly File[]): void =>
    queue.add(files, {
      limitBytes: fileLimitBytes,
      nameOf: pathOf,
      async send(file, options) {
        const input = { params: { device_id: deviceId, path: pathOf(file) }, query: {}, body: file };
        await upload('deviceFiles.upload', input, options);
        await renew('deviceFiles');
      },
    });
  const ask = async (files: readonly File[]): Promise<void> => {
    askReplace({
      paths: replacedBy(files.map(pathOf), await pathsOf(deviceId)),
      says: t.theirBytesAreLostDevice,
      run: () => add(files),
    });
  };
  return { queue, uploads, send: (files: readonly File[]) => void ask(files).catch(notifyError) };
}

function FileActions({ deviceId, file: { path, size } }: { readonly deviceId: string; readonly file: FileRecord }) {
  const params = { device_id: deviceId, path };
  const remove = (): void =>
    confirm({
      title: t.delete(path),
      body: t.areLostAndDeviceNo(formatSize(size)),
      action: common.delete,
      destructive: true,
      async run() {
        await call('deviceFiles.remove', { params });
        await renew('deviceFiles');
        notify(t.isDeleted(path));
      },
    });
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Tooltip label={t.download(path)}>
        <ActionIcon
          component="a"
          href={addressOf('deviceFiles.get', { params })}
          download={path.split('/').at(-1)}
          variant="subtle"
          aria-label={t.download(path)}
        >
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t.deletePath(path)}>
        <ActionIcon variant="subtle" color="red" onClick={remove} aria-label={t.deletePath(path)}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

const columnsFor = (deviceId: string): readonly Column<FileRecord>[] => [
  {
    key: 'path',
    title: t.path,
    sort: 'path',
    cell: ({ path, name }) => (
      <Anchor inherit href={addressOf('deviceFiles.get', { params: { device_id: deviceId, path } })} download={name}>
        {path}
      </Anchor>
    ),
  },
  { key: 'size', title: common.size, sort: 'size', cell: ({ size }) => formatSize(size) },
  { key: 'crc', title: 'CRC', from: 'md', cell: ({ crc }) => <Code>{crc}</Code> },
  { key: 'mime', title: t.kind, from: 'md', cell: ({ mime }) => mime },
  { key: 'at', title: common.changed, sort: 'updated_at', from: 'sm', cell: momentOf('updated_at') },
  { key: 'do', title: common.actions, cell: (file) => <FileActions deviceId={deviceId} file={file} /> },
];

/** Files that the device and its users share; no bundle holds them. */
export default function Files({ device }: TabProps) {
  const list = useListAddress('Files of the device', filterNames);
  const [folder, setFolder] = useState('');
  const { queue, uploads, send } = useSending(device.id, folder);
  const { q } = list.filters;
  const sort = list.sort?.replace('-', '');
  const query = useCall(
    'deviceFiles.list',
    {
      params: { device_id: device.id },
      query: {
        limit: list.limit,
        offset: list.offset,
        ...(q !== undefined && { filter: `*${q}*` }),
        ...(sortFields.some((field) => field === sort) && { sort: list.sort as (typeof sortFields)[number] }),
      },
    },
    { keepPrevious: true },
  );
  return (
    <Stack gap="md">
      <VendorSwitch device={device} />
      <Backups device={device} />
      <FileDrop label={t.dropFilesOrFoldersHere} limitBytes={fileLimitBytes} onFiles={send} />
      <TextInput
        label={t.folder}
        description={t.whereNewFilesGoEmpty}
        placeholder="images"
        maxLength={200}
        {...bindText(folder, setFolder)}
        maw={420}
      />
      <UploadList queue={queue} uploads={uploads} />
      <Group>
        <SearchBox
          label={t.searchFiles}
          placeholder={t.partOfPath}
          value={q}
          onChange={(next) => list.setFilter('q', next)}
        />
      </Group>
      <DataTable
        label={t.filesOfDevice}
        noun={nouns.file}
        columns={columnsFor(device.id)}
        query={query}
        list={list}
        idOf={({ path }) => path}
        empty={
          <Empty title={q === undefined ? t.deviceHasNoFilesYet : t.noPathHasThisIn}>{t.whatIsPutHereModule}</Empty>
        }
      />
      <Muted small>{t.atMostFilesAndFor(formatCount(storeLimits.files), formatSize(storeLimits.bytes))}</Muted>
    </Stack>
  );
}
