import { ActionIcon, Checkbox, Code, Group, Select, Stack, Table, Text, TextInput, Tooltip } from '@mantine/core';
import type { BundleDetail, ResourceRecord } from '@moorage/api';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew, useChange } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { formatSize, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { FileDrop, UploadList } from '../../ui/file-drop.tsx';
import { Muted } from '../../ui/muted.tsx';
import { askReplace } from '../../ui/replace.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty } from '../../ui/states.tsx';
import { Term } from '../../ui/term.tsx';
import { type UploadTarget, useUploads } from '../../ui/uploads.ts';
import { replacedBy, uploadPath } from '../device/upload-path.ts';
import { bundleFileLimitBytes, isModuleFilename, readBase64 } from './bundle-file.ts';

/** A file as the drop zone hands it over: with the path it had in a folder that was dropped whole. */
type DroppedFile = File & { readonly path?: string };

interface FileOptions {
  /** Where the files go in the file system of the module; empty for none. */
  readonly folder: string;
  /** The module's file type; null lets the service choose by the name. */
  readonly type: string | null;
  /** Kept with the bundle, but not sent to devices. */
  readonly exclude: boolean;
}

/** How a dropped file becomes a resource of the bundle. */
const targetOf = (bundle: BundleDetail, { folder, type, exclude }: FileOptions): UploadTarget<DroppedFile> => ({
  limitBytes: bundleFileLimitBytes,
  nameOf: (file) => uploadPath(folder, file),
  async send(file, { onProgress, signal }) {
    const filename = uploadPath(folder, file);
    if (!isModuleFilename(filename)) {
      throw new Error(t.modulesTakeNamesOfUp);
    }
    const base64 = await readBase64(file, signal);
    const params = { bundle_id: bundle.id };
    const former = bundle.resources.find((resource) => resource.filename === filename);
    // A bundle holds one file of a name. To replace it has been confirmed.
    if (former) await call('bundles.removeResource', { params: { ...params, resource_id: former.id } });
    const body = { filename, base64, exclude, ...(type !== null && { type }) };
    await upload('bundles.addResource', { params, body }, { onProgress, signal });
    await renew('bundles');
  },
});

function AddFiles({ bundle }: { readonly bundle: BundleDetail }) {
  const { init } = useInit();
  const { queue, uploads } = useUploads(`bundle:${bundle.id}`);
  const [type, setType] = useState<string | null>(null);
  const [exclude, setExclude] = useState(false);
  const [folder, setFolder] = useState('');
  const send = (files: readonly DroppedFile[]): void =>
    askReplace({
      paths: replacedBy(
        files.map((file) => uploadPath(folder, file)),
        bundle.resources.map(({ filename }) => filename),
      ),
      says: t.theyAreTakenOutOf(bundle.version),
      run: () => queue.add(files, targetOf(bundle, { folder, type, exclude })),
    });
  return (
    <Stack gap="sm">
      <Group gap="md" align="flex-end">
        <TextInput
          label={t.folderOfFilesAddedNext}
          description={t.emptyForNone}
          placeholder="webapp"
          w={{ base: '100%', xs: 'auto' }}
          maxLength={94}
          {...bindText(folder, setFolder)}
        />
        <Select
          label={t.typeOfFilesAddedNext}
          description={t.whereNameDoesNotTell}
          w={{ base: '100%', xs: 'auto' }}
          placeholder={t.byName}
          clearable
          clearButtonProps={{ 'aria-label': t.clearType }}
          data={init?.resource_types ?? []}
          value={type}
          onChange={setType}
        />
        <Checkbox
          label={t.excludeThemKeepThemHere}
          checked={exclude}
          onChange={(event) => setExclude(event.currentTarget.checked)}
        />
      </Group>
      <FileDrop label={t.dropFilesForBundleHere} limitBytes={bundleFileLimitBytes} onFiles={send} />
      <UploadList queue={queue} uploads={uploads} />
    </Stack>
  );
}

interface FileRowProps {
  readonly bundle: BundleDetail;
  readonly file: ResourceRecord;
  readonly removable: boolean;
}

function FileRow({ bundle, file, removable }: FileRowProps) {
  const remove = useChange('bundles.removeResource', 'bundles');
  const params = { bundle_id: bundle.id, resource_id: file.id };
  const ask = (): void =>
    confirm({
      title: t.remove(file.filename),
      body: t.itsAreDeletedFromBundle(formatSize(file.size), bundle.version),
      action: t.remove2,
      destructive: true,
      run: () => remove.mutateAsync({ params }),
      done: t.isRemoved(file.filename),
    });
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {file.filename}
        {file.exclude && <Muted small>{t.excludedNotSentToDevices}</Muted>}
      </Table.Td>
      <Table.Td>{formatSize(file.size)}</Table.Td>
      <Table.Td visibleFrom="sm">
        <Term word={file.type} />
      </Table.Td>
      <Table.Td visibleFrom="md">{file.version}</Table.Td>
      <Table.Td visibleFrom="md">
        <Code>{file.crc}</Code>
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Tooltip label={t.download}>
            <ActionIcon
              component="a"
              href={addressOf('bundles.binary', { params })}
              download={file.filename}
              variant="subtle"
              color="gray"
              aria-label={t.downloadFilename(file.filename)}
            >
              <IconDownload size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
          {removable && (
            <Tooltip label={t.remove2}>
              <ActionIcon variant="subtle" color="gray" onClick={ask} aria-label={t.removeFilename(file.filename)}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function FileTable({ bundle, removable }: { readonly bundle: BundleDetail; readonly removable: boolean }) {
  const { resources } = bundle;
  const sent = resources.filter(({ exclude }) => !exclude);
  return (
    <div>
      <SmallTable
        label={t.filesOfBundle}
        fits
        columns={[
          common.name,
          common.size,
          { title: common.type, from: 'sm' },
          { title: common.version, from: 'md' },
          { title: t.crc, from: 'md' },
          { title: common.actions, end: true },
        ]}
        verticalSpacing="xs"
      >
        {resources.map((file) => (
          <FileRow key={file.id} bundle={bundle} file={file} removable={removable} />
        ))}
      </SmallTable>
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {t.devicesGetOfAndFirmware(
          plural(resources.length, nouns.file),
          plural(sent.length, nouns.file),
          formatSize(sent.reduce((sum, { size }) => sum + size, 0)),
        )}
      </Text>
    </div>
  );
}

/** The files of a bundle. While it is in preview, files can be dropped into it and removed. */
export function BundleFiles({ bundle, mayChange }: { readonly bundle: BundleDetail; readonly mayChange: boolean }) {
  const open = mayChange && bundle.state === 'preview';
  return (
    <Stack gap="md">
      {open && <AddFiles bundle={bundle} />}
      {!open && mayChange && <Muted>{t.filesOfBundleThatWas}</Muted>}
      {bundle.resources.length > 0 ? (
        <FileTable bundle={bundle} removable={open} />
      ) : (
        <Empty title={t.noFiles}>{t.bundleWithoutFilesIsIts}</Empty>
      )}
    </Stack>
  );
}
