import { ActionIcon, Anchor, Code, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { type FileRecord, fileLimitBytes, storeLimits } from '@moorage/api';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FileDrop, UploadList } from '../../ui/file-drop.tsx';
import { formatCount, formatSize } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { allPaths, askReplace } from '../../ui/replace.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { useUploads } from '../../ui/uploads.ts';
import { useListAddress } from '../../ui/use-list.ts';
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
      says: 'Their bytes are lost; the device finds the new ones under the same path.',
      run: () => add(files),
    });
  };
  return { queue, uploads, send: (files: readonly File[]) => void ask(files).catch(notifyError) };
}

function FileActions({ deviceId, file: { path, size } }: { readonly deviceId: string; readonly file: FileRecord }) {
  const params = { device_id: deviceId, path };
  const remove = (): void =>
    confirm({
      title: `Delete ${path}?`,
      body: `${formatSize(size)} are lost, and the device no longer finds the file. This cannot be undone.`,
      action: 'Delete',
      destructive: true,
      async run() {
        await call('deviceFiles.remove', { params });
        await renew('deviceFiles');
        notify(`${path} is deleted`);
      },
    });
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Tooltip label={`Download ${path}`}>
        <ActionIcon
          component="a"
          href={addressOf('deviceFiles.get', { params })}
          download={path.split('/').at(-1)}
          variant="subtle"
          aria-label={`Download ${path}`}
        >
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`Delete ${path}`}>
        <ActionIcon variant="subtle" color="red" onClick={remove} aria-label={`Delete ${path}`}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

const columnsFor = (deviceId: string): readonly Column<FileRecord>[] => [
  {
    key: 'path',
    title: 'Path',
    sort: 'path',
    cell: ({ path, name }) => (
      <Anchor inherit href={addressOf('deviceFiles.get', { params: { device_id: deviceId, path } })} download={name}>
        {path}
      </Anchor>
    ),
  },
  { key: 'size', title: 'Size', sort: 'size', cell: ({ size }) => formatSize(size) },
  { key: 'crc', title: 'CRC', from: 'md', cell: ({ crc }) => <Code>{crc}</Code> },
  { key: 'mime', title: 'Kind', from: 'md', cell: ({ mime }) => mime },
  { key: 'at', title: 'Changed', sort: 'updated_at', from: 'sm', cell: ({ updated_at }) => <Moment at={updated_at} /> },
  { key: 'do', title: 'Actions', cell: (file) => <FileActions deviceId={deviceId} file={file} /> },
];

/** Files that the device and its users share; no bundle holds them. */
export default function Files({ device }: TabProps) {
  const list = useListAddress(filterNames);
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
      <FileDrop label="Drop files or folders here for the device" limitBytes={fileLimitBytes} onFiles={send} />
      <TextInput
        label="Folder"
        description="Where new files go; empty for the top"
        placeholder="images"
        maxLength={200}
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
        maw={420}
      />
      <UploadList queue={queue} uploads={uploads} />
      <Group>
        <SearchBox
          label="Search the files"
          placeholder="Part of the path"
          value={q}
          onChange={(next) => list.setFilter('q', next)}
        />
      </Group>
      <DataTable
        label="Files of the device"
        noun="file"
        columns={columnsFor(device.id)}
        query={query}
        list={list}
        idOf={({ path }) => path}
        empty={
          <Empty title={q === undefined ? 'The device has no files yet' : 'No path has this in it'}>
            What is put here the module fetches when it wants to, and what the module puts here is listed too.
          </Empty>
        }
      />
      <Text size="xs" c="dimmed">
        At most {formatCount(storeLimits.files)} files and {formatSize(storeLimits.bytes)} for each device.
      </Text>
    </Stack>
  );
}
