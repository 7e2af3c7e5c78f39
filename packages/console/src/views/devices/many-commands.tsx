import { Button, Code, Group, Progress, Stack, Table, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { saveFile } from '../../browser/save-file.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { inBatches } from '../../ui/batches.ts';
import { Form } from '../../ui/form.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { maskSecrets } from '../device/secrets.ts';
import { devicesOf, devicesPerCommand, type Target } from './bulk-jobs.ts';
import { writeCsv } from './csv.ts';

/** What became of the command on one device. */
interface Outcome {
  readonly name: string;
  /** Response code of the module; none when the command did not get there. */
  readonly code: number | undefined;
  readonly text: string;
}

/** Rows that are shown; of more devices the first, and those that failed before the others. */
const shownLimit = 200;

function Outcomes({ line, outcomes }: { readonly line: string; readonly outcomes: readonly Outcome[] }) {
  const [shown, setShown] = useState(false);
  const fileOf = (all: readonly Outcome[]): Uint8Array => {
    const rows = all.map(({ name, code, text }) => [name, code ?? '', shown ? text : maskSecrets(line, text).text]);
    return new TextEncoder().encode(writeCsv([['device', 'code', 'answer'], ...rows]));
  };
  const sorted = outcomes.toSorted((one, other) => Number(other.code !== 0) - Number(one.code !== 0));
  return (
    <Stack gap="xs">
      <SmallTable label={t.resultsByDevice} maxHeight={360} columns={[common.device, common.code, t.answer]}>
        {sorted.slice(0, shownLimit).map(({ name, code, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two devices may have the same name
          <Table.Tr key={at}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{code ?? '—'}</Table.Td>
            <Table.Td>
              <Code block mah={120} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}>
                {(shown ? text : maskSecrets(line, text).text) || '(nothing)'}
              </Code>
            </Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
      {outcomes.some(({ text }) => maskSecrets(line, text).masked) && (
        <Button size="compact-sm" variant="default" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? t.maskSecrets : t.showSecrets}
        </Button>
      )}
      {sorted.length > shownLimit && <Text size="sm">{t.firstOfAreShownThose(shownLimit, sorted.length)}</Text>}
      <Group>
        <Button size="compact-sm" variant="default" onClick={() => saveFile(fileOf(sorted), 'results.csv', 'text/csv')}>
          {t.saveResults}
        </Button>
      </Group>
    </Stack>
  );
}

/** Runs one command line on every device of a target, and shows what each answers. */
export function ManyCommands({ target, onClose }: { readonly target: Target; readonly onClose: () => void }) {
  const [line, setLine] = useState('');
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [share, setShare] = useState<{ readonly done: number; readonly of: number }>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const run = async (): Promise<void> => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setOutcomes([]);
    setShare({ done: 0, of: target.count });
    const devices = await devicesOf(target, signal);
    const names = new Map(devices.map(({ id, name }) => [id, name]));
    const nameOf = (id: string): string => names.get(id) ?? id;
    await inBatches(
      devices,
      devicesPerCommand,
      async (some) => {
        const { value } = await call('channel.commandMany', {
          body: { device_ids: some.map(({ id }) => id), command: line },
        });
        const answered = value.done.map(({ device_id, code, data }) => ({ name: nameOf(device_id), code, text: data }));
        const refused = value.refused.map(({ device_id, message }) => ({
          name: nameOf(device_id),
          code: undefined,
          text: message,
        }));
        setOutcomes((known) => [...known, ...answered, ...refused]);
        return [];
      },
      (done, of, failures = []) => {
        setShare({ done, of });
        setOutcomes((known) => [
          ...known,
          ...failures.map(({ name, message }) => ({ name, code: undefined, text: message })),
        ]);
      },
      signal,
    );
  };
  const failed = outcomes.filter(({ code }) => code !== 0).length;
  return (
    <Stack gap="md">
      <Form
        submit={t.runOn(plural(target.count, nouns.device))}
        onSubmit={run}
        disabled={line.trim() === ''}
        more={
          share !== undefined && (
            <Button variant="default" onClick={onClose}>
              {common.close}
            </Button>
          )
        }
      >
        <TextInput
          label={t.commandLine}
          description={t.itRunsOnAllOf}
          placeholder="version"
          value={line}
          onChange={({ currentTarget }) => setLine(currentTarget.value)}
          maxLength={1024}
          data-autofocus
        />
      </Form>
      {share && (
        <Group gap="xs" wrap="nowrap">
          <Progress
            value={(100 * share.done) / Math.max(1, share.of)}
            aria-label={t.devicesThatAreDone}
            style={{ flex: 1 }}
          />
          <Text size="sm" role="status">
            {t.of(share.done, plural(share.of, nouns.device), plural(failed, nouns.failure))}
          </Text>
        </Group>
      )}
      {outcomes.length > 0 && <Outcomes line={line} outcomes={outcomes} />}
    </Stack>
  );
}
