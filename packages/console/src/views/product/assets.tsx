import { ActionIcon, Code, Group, Stack, TextInput, Tooltip } from '@mantine/core';
import { type FileRecord, fileLimitBytes, storeLimits } from '@moorage/api';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew, useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatCount, formatSize } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FileDrop, UploadList } from '../../ui/file-drop.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notifyError } from '../../ui/notify.ts';
import { allPaths, askReplace } from '../../ui/replace.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/states.tsx';
import { type UploadTarget, useUploads } from '../../ui/uploads.ts';
import { useListAddress } from '../../ui/use-list.ts';
import { replacedBy, uploadPath } from '../device/upload-path.ts';
import type { TabProps } from './tab-props.ts';

const filterNames = ['filter'] as const;
const sorts = ['path', 'size', 'updated_at'] as const;

/** A file as the drop zone hands it over: with the path it had in a folder that was dropped whole. */
type DroppedFile = File & { readonly path?: string };

const targetOf = (productId: string, folder: string): UploadTarget<DroppedFile> => ({
  limitBytes: fileLimitBytes,
  nameOf: (file) => uploadPath(folder, file),
  async send(file, options) {
    const params = { product_id: productId, path: uploadPath(folder, file) };
    await upload('assets.upload', { params, query: {}, body: file }, options);
    await renew('assets');
  },
});

const pathsOf = (product_id: string): Promise<string[]> =>
  allPaths((query) => call('assets.list', { params: { product_id }, query }));

function AddAssets({ productId }: { readonly productId: string }) {
  const { queue, uploads } = useUploads(`assets:${productId}`);
  const [folder, setFolder] = useState('');
  const send = async (files: readonly DroppedFile[]): Promise<void> =>
    askReplace({
      paths: replacedBy(
        files.map((file) => uploadPath(folder, file)),
        await pathsOf(productId),
      ),
      says: t.theirBytesAreLostDevices,
      run: () => queue.add(files, targetOf(productId, folder)),
    });
  return (
    <Stack gap="sm">
      <TextInput
        label={t.folderForFilesAddedNext}
        description={t.emptyForNoneFoldersThat}
        placeholder="images/kitchen"
        maxLength={200}
        {...bindText(folder, setFolder)}
        maw={420}
      />
      <FileDrop
        label={t.dropAssetsHere}
        limitBytes={fileLimitBytes}
        onFiles={(files) => void send(files).catch(notifyError)}
      />
      <UploadList queue={queue} uploads={uploads} />
    </Stack>
  );
}

interface AssetActionsProps {
  readonly productId: string;
  readonly file: FileRecord;
  readonly mayChange: boolean;
}

function AssetActions({ productId, file, mayChange }: AssetActionsProps) {
  const remove = useChange('assets.remove', 'assets');
  const params = { product_id: productId, path: file.path };
  const ask = (): void =>
    confirm({
      title: t.delete(file.path),
      body: t.itsAreGoneForGood(formatSize(file.size)),
      action: common.delete,
      destructive: true,
      run: () => remove.mutateAsync({ params }),
      done: t.isDeleted(file.path),
    });
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={t.download}>
        <ActionIcon
          component="a"
          href={addressOf('assets.get', { params })}
          download={file.name}
          variant="subtle"
          color="gray"
          aria-label={t.downloadPath(file.path)}
        >
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {mayChange && (
        <Tooltip label={common.delete}>
          <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label={t.deletePath(file.path)}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}

const columnsFor = (productId: string, mayChange: boolean): readonly Column<FileRecord>[] => [
  { key: 'path', title: t.path, sort: 'path', cell: ({ path }) => path },
  { key: 'size', title: common.size, sort: 'size', cell: ({ size }) => formatSize(size) },
  { key: 'mime', title: common.type, from: 'md', cell: ({ mime }) => mime },
  { key: 'version', title: common.version, from: 'lg', cell: ({ version }) => version ?? '—' },
  { key: 'crc', title: 'CRC', from: 'lg', cell: ({ crc }) => <Code>{crc}</Code> },
  {
    key: 'changed',
    title: common.changed,
    sort: 'updated_at',
    from: 'sm',
    cell: momentOf('updated_at'),
  },
  {
    key: 'actions',
    title: common.actions,
    cell: (file) => <AssetActions productId={productId} file={file} mayChange={mayChange} />,
  },
];

/** Files of the product's own store, which its devices can read. */
export default function Assets({ product, mayChange }: TabProps) {
  const list = useListAddress('Assets', filterNames);
  const { filter } = list.filters;
  const sort = sorts.flatMap((field) => [field, `-${field}`] as const).find((known) => known === list.sort);
  const query = {
    limit: list.limit,
    offset: list.offset,
    ...(sort !== undefined && { sort }),
    // What is typed is looked for anywhere in the path.
    ...(filter !== undefined && { filter: `*${filter}*` }),
  };
  const assets = useCall('assets.list', { params: { product_id: product.id }, query }, { keepPrevious: true });
  return (
    <Stack gap="md">
      <Muted>{t.filesThatAllDevicesOf(formatCount(storeLimits.files), formatSize(storeLimits.bytes))}</Muted>
      {mayChange && <AddAssets productId={product.id} />}
      <Group role="search">
        <SearchBox
          label={t.searchAssets}
          placeholder={t.partOfPath}
          value={filter}
          onChange={(value) => list.setFilter('filter', value)}
        />
      </Group>
      <DataTable
        label={t.assets}
        noun={nouns.asset}
        columns={columnsFor(product.id, mayChange)}
        query={assets}
        list={list}
        idOf={({ path }) => path}
        empty={
          filter === undefined ? (
            <Empty title={t.noAssetsYet}>
              {mayChange ? t.picturesSoundsTablesWhatDevices : t.picturesSoundsTablesWhatDevicesFetch}
            </Empty>
          ) : (
            <Empty title={t.noAssetFitsSearch} />
          )
        }
      />
    </Stack>
  );
}
