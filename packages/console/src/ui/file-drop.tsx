import '@mantine/dropzone/styles.css';
import { ActionIcon, Box, Button, Group, Progress, Stack, Text, Tooltip } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconUpload, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { common } from '../texts/common.ts';
import { formatSize, plural } from '../texts/format.ts';
import { nouns } from '../texts/nouns.ts';
import { t } from '../texts/ui.ts';
import { Muted } from './muted.tsx';
import type { Upload, UploadQueue } from './uploads.ts';

interface FileDropProps {
  /** What is dropped here, and what becomes of it. */
  readonly label: string;
  readonly limitBytes: number;
  readonly onFiles: (files: File[]) => void;
}

/** A place to drop files on, with a button that chooses them for those who cannot drag. */
export function FileDrop({ label, limitBytes, onFiles }: FileDropProps) {
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      onDrop={onFiles}
      openRef={open}
      activateOnClick={false}
      activateOnKeyboard={false}
      inputProps={{ 'aria-label': label }}
      styles={{ inner: { pointerEvents: 'all' } }}
      p="md"
    >
      <Group justify="center" gap="md">
        <IconUpload size={28} stroke={1.5} aria-hidden />
        <Box flex="0 1 auto">
          <Text size="sm">{label}</Text>
          <Muted small>{t.upToEach(formatSize(limitBytes))}</Muted>
        </Box>
        <Button variant="default" size="xs" onClick={() => open.current?.()}>
          {t.chooseFiles}
        </Button>
      </Group>
    </Dropzone>
  );
}

const stateText = ({ state, share, reason }: Upload): string => {
  if (state === 'failed') return t.failed(reason ?? t.noReasonGiven);
  if (state === 'sending') return share < 1 ? `${Math.floor(100 * share)} %` : t.beingStored;
  return { waiting: common.waiting, done: common.done, cancelled: t.cancelled }[state];
};

function UploadLine({ upload, onCancel }: { readonly upload: Upload; readonly onCancel: () => void }) {
  const { name, size, state, share } = upload;
  const open = state === 'waiting' || state === 'sending';
  return (
    <Group gap="sm" wrap="nowrap" component="li">
      <Box flex={1} miw={0}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}>
            {formatSize(size)} · {stateText(upload)}
          </Text>
        </Group>
        {open && <Progress value={100 * share} size="sm" mt={4} aria-label={t.progressOf(name)} />}
      </Box>
      {open && (
        <Tooltip label={t.cancelName(name)}>
          <ActionIcon variant="subtle" color="gray" onClick={onCancel} aria-label={t.cancelName(name)}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}

interface UploadListProps {
  readonly queue: UploadQueue;
  readonly uploads: readonly Upload[];
}

/** What is on its way, how far it is, and what became of it. */
export function UploadList({ queue, uploads }: UploadListProps) {
  if (uploads.length === 0) return null;
  const open = uploads.filter(({ state }) => state === 'waiting' || state === 'sending').length;
  const failed = uploads.filter(({ state }) => state === 'failed').length;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          {open > 0 ? t.onWay(plural(open, nouns.file)) : t.ended(plural(uploads.length, nouns.upload))}
          {failed > 0 && t.failedFailed(failed)}
        </Text>
        {open > 0 ? (
          <Button size="compact-sm" variant="default" onClick={() => queue.cancelAll()}>
            {t.cancelAll}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={() => queue.clear()}>
            {t.clearList}
          </Button>
        )}
      </Group>
      <Stack
        component="ul"
        gap="xs"
        m={0}
        p={0}
        mah={320}
        style={{ listStyle: 'none', overflow: 'auto' }}
        tabIndex={0}
        aria-label={t.uploads}
      >
        {uploads.map((upload) => (
          <UploadLine key={upload.id} upload={upload} onCancel={() => queue.cancel(upload.id)} />
        ))}
      </Stack>
    </Stack>
  );
}
