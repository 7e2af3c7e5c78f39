import { ActionIcon, Anchor, Button, Group, Select, Stack, Table, Text } from '@mantine/core';
import type { DeviceRecord, FileRecord } from '@moorage/api';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf, call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatSize } from '../../texts/format.ts';
import { t } from '../../texts/gateway.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notifyError } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
import { type Backup, compareBackups, type Differences, readBackup } from './compare-backups.ts';
import { ModuleLine } from './module-line.tsx';

/** Where gateways put rescue archives among the files of a device. */
const folder = 'backups/';
const shownLimit = 50;

const nameOf = ({ path }: Pick<FileRecord, 'path'>): string => path.slice(folder.length);

interface BackupProps {
  readonly device: DeviceRecord;
  readonly backup: FileRecord;
}

const addressOfFile = ({ device, backup: { path } }: BackupProps): string =>
  addressOf('deviceFiles.get', { params: { device_id: device.id, path } });

const openTwin = (props: BackupProps): void =>
  openDialog({ title: t.twinTitle, size: 'lg' }, () => (
    <Stack gap="sm">
      <Text size="sm">{t.whatTwinIs}</Text>
      <Anchor href={addressOfFile(props)} download={nameOf(props.backup)}>
        {nameOf(props.backup)}
      </Anchor>
      <ModuleLine line={`moorage module --from "${nameOf(props.backup)}"`} />
    </Stack>
  ));

async function fetchBackup({ device, backup: { path } }: BackupProps): Promise<Backup> {
  const { value } = await call('deviceFiles.get', { params: { device_id: device.id, path } });
  const backup = readBackup(value);
  if (!backup) throw new Error(t.isNone);
  return backup;
}

const shownFile = (file: { readonly size: number; readonly crc?: string } | undefined): string =>
  file === undefined ? '—' : t.fileOf(formatSize(file.size), file.crc ?? '—');

function Found({ differences: { settings, files } }: { readonly differences: Differences }) {
  const rows = [
    ...files.map(({ name, before, after }) => ({ name, before: shownFile(before), after: shownFile(after) })),
    ...settings.map(({ name, before = '—', after = '—' }) => ({ name, before, after })),
  ];
  if (rows.length === 0) return <Text size="sm">{t.noDifference}</Text>;
  return (
    <>
      <Muted>{t.measuredAside}</Muted>
      <SmallTable label={t.differences} columns={[t.variableOrFile, t.older, t.newer]}>
        {rows.map(({ name, before, after }) => (
          <Table.Tr key={name} style={{ overflowWrap: 'anywhere' }}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{before}</Table.Td>
            <Table.Td>{after}</Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
    </>
  );
}

function Compare({ device, backups }: { readonly device: DeviceRecord; readonly backups: readonly FileRecord[] }) {
  const [newest, second] = backups;
  const [older, setOlder] = useState(second?.path ?? null);
  const [newer, setNewer] = useState(newest?.path ?? null);
  const [differences, setDifferences] = useState<Differences>();
  const [busy, setBusy] = useState(false);
  const data = backups.map((backup) => ({ value: backup.path, label: nameOf(backup) }));
  const chosen = [older, newer].map((path) => backups.find((backup) => backup.path === path));
  const compare = async (): Promise<void> => {
    const [one, other] = chosen;
    if (!one || !other) return;
    setBusy(true);
    try {
      const [before, after] = [
        await fetchBackup({ device, backup: one }),
        await fetchBackup({ device, backup: other }),
      ];
      setDifferences(compareBackups(before, after));
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  const choose = (set: (path: string | null) => void) => (path: string | null) => {
    set(path);
    setDifferences(undefined);
  };
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Select label={t.older} data={data} value={older} onChange={choose(setOlder)} allowDeselect={false} w={320} />
        <Select label={t.newer} data={data} value={newer} onChange={choose(setNewer)} allowDeselect={false} w={320} />
        <Button variant="default" loading={busy} onClick={() => void compare()}>
          {t.compare}
        </Button>
      </Group>
      {differences && <Found differences={differences} />}
    </Stack>
  );
}

/** Backups that a gateway has made of a real module; nothing where there are none. */
export function Backups({ device }: { readonly device: DeviceRecord }) {
  const query = { prefix: folder, sort: '-path', limit: shownLimit } as const;
  const files = useCall('deviceFiles.list', { params: { device_id: device.id }, query });
  const backups = (files.data?.value ?? []).filter(({ path }) => path.endsWith('.zip'));
  if (backups.length === 0) return null;
  return (
    <Card title={t.backups}>
      <Stack gap="sm">
        <Muted>{t.whatBackupsAre}</Muted>
        <SmallTable label={t.backups} columns={[t.backup, common.size, common.made, common.actions]}>
          {backups.map((backup) => (
            <Table.Tr key={backup.path}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{nameOf(backup)}</Table.Td>
              <Table.Td>{formatSize(backup.size)}</Table.Td>
              <Table.Td>
                <Moment at={backup.created_at} />
              </Table.Td>
              <Table.Td>
                <Group gap={4} wrap="nowrap">
                  <ActionIcon
                    component="a"
                    href={addressOfFile({ device, backup })}
                    download={nameOf(backup)}
                    variant="subtle"
                    aria-label={t.download(nameOf(backup))}
                  >
                    <IconDownload size={16} aria-hidden />
                  </ActionIcon>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t.twinOf(nameOf(backup))}
                    onClick={() => openTwin({ device, backup })}
                  >
                    {t.twin}
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </SmallTable>
        {backups.length > 1 && <Compare device={device} backups={backups} />}
      </Stack>
    </Card>
  );
}
