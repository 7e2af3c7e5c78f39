import { Alert, Button, FileInput, Group, Stack, Table, Text } from '@mantine/core';
import { type ImportedRow, type ImportResult, importLimit } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { saveFile } from '../../browser/save-file.ts';
import { common } from '../../texts/common.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { t } from '../../texts/import.ts';
import { nouns } from '../../texts/nouns.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { type CsvDevice, devicesOf } from './csv.ts';

/** Rows of a preview that are shown; of more the first, and those that are refused before the others. */
const shownRows = 200;

function Preview({ rows }: { readonly rows: readonly ImportedRow[] }) {
  const numbered = rows.map((row, at) => ({ ...row, number: at + 2 }));
  const sorted = numbered.toSorted((one, other) => Number(one.code === null) - Number(other.code === null));
  return (
    <Stack gap="xs">
      <SmallTable label={t.outcome} maxHeight={320} columns={[t.row, 'UUID', t.outcome]}>
        {sorted.slice(0, shownRows).map(({ number, uuid, message }) => (
          <Table.Tr key={number}>
            <Table.Td>{number}</Table.Td>
            <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {uuid}
            </Table.Td>
            <Table.Td>{message ?? t.isMade}</Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
      {rows.length > shownRows && <Text size="sm">{t.rowsShown(formatCount(shownRows))}</Text>}
    </Stack>
  );
}

/** The tokens as a file: none of their letters is one that CSV would have to quote. */
const tokenFile = (rows: readonly ImportedRow[]): Uint8Array =>
  new TextEncoder().encode(
    ['uuid,device_id,token', ...rows.map(({ uuid, device_id, token }) => `${uuid},${device_id},${token}`)].join('\r\n'),
  );

function Imported({ result, onClose }: { readonly result: ImportResult; readonly onClose: () => void }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="outline" title={t.made(plural(result.imported, nouns.device))}>
        {t.tokensAreShownOnce}
      </Alert>
      <Group>
        <Button onClick={() => saveFile(tokenFile(result.rows), 'tokens.csv', 'text/csv')}>{t.saveTokens}</Button>
        <Button variant="default" onClick={onClose}>
          {common.close}
        </Button>
      </Group>
    </Stack>
  );
}

/** What keeps the devices of a file from being sent; nothing when they may be. */
const refuseCount = (count: number): string | undefined => {
  if (count === 0) return t.noDevices;
  return count > importLimit ? t.tooMany(formatCount(count), formatCount(importLimit)) : undefined;
};

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const { init } = useInit();
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string>();
  const [devices, setDevices] = useState<readonly CsvDevice[]>([]);
  const [result, setResult] = useState<ImportResult>();
  const send = async (some: readonly CsvDevice[], preview: boolean): Promise<ImportResult> => {
    const { value } = await call('manyDevices.import', { body: { devices: [...some], preview } });
    setResult(value);
    return value;
  };
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    setResult(undefined);
    setProblem(undefined);
  };
  const show = async (): Promise<void> => {
    if (!file) return;
    const platforms = new Map(init?.platforms.map(({ code, id }) => [code.toUpperCase(), id]));
    const read = devicesOf(await file.text(), platforms);
    if ('problem' in read) {
      setProblem((read.problem === 'columns' ? t.columnIsMissing : t.noSuchPlatform)(read.value));
      return;
    }
    const wrong = refuseCount(read.devices.length);
    setProblem(wrong);
    if (wrong !== undefined) return;
    setDevices(read.devices);
    await send(read.devices, true);
  };
  const make = async (): Promise<void> => {
    await send(devices, false);
    await renew('devices', 'overview', 'fleet');
  };
  if (result && result.imported > 0) return <Imported result={result} onClose={onClose} />;
  const count = plural(devices.length, nouns.device);
  const isGood = result?.refused === 0;
  return (
    <Form submit={isGood ? t.importThem(count) : t.show} disabled={!file} onSubmit={isGood ? make : show}>
      <FileInput
        label={t.file}
        description={t.whatTheFileHas}
        placeholder={t.choose}
        accept=".csv,text/csv"
        value={file}
        onChange={choose}
        error={problem}
      />
      {result && (
        <>
          <Text size="sm" role="status">
            {isGood ? t.wouldBeMade(count) : t.areRefused(formatCount(result.refused), count)}
          </Text>
          <Preview rows={result.rows} />
        </>
      )}
    </Form>
  );
}

/** Makes many devices from a file, after showing what would happen. */
export function openImport(): void {
  openDialog({ title: t.importDevices, size: 'xl' }, (close) => <ImportForm onClose={close} />);
}
