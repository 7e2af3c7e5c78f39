import {
  Anchor,
  Button,
  Group,
  JsonInput,
  List,
  NumberInput,
  Progress,
  Stack,
  Switch,
  Table,
  Text,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import {
  type RehearsalMetric,
  type RehearsalRecord,
  type RehearsalSpread,
  type RolloutRecord,
  rehearsalMetrics,
} from '@moorage/api';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatNumber } from '../../texts/format.ts';
import { sayReason } from '../../texts/reasons.ts';
import { metricNames, t, variantNames } from '../../texts/rehearsals.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
import { Loaded } from '../../ui/states.tsx';

/** How often one that runs is looked at, in ms: no event reports its progress. */
const runningMs = 1_500;

/** Beyond this they are for the command line. */
const most = { devices: 1_000, seeds: 10 } as const;

const exampleScenario = JSON.stringify({ groups: [{ name: 'pier', share: 1, link: { lost_percent: 5 } }] });

/** What of the body a typed scenario is; undefined for a text that is no JSON object. */
function scenarioIn(text: string): { scenario?: object } | undefined {
  if (text.trim() === '') return {};
  try {
    const scenario: unknown = JSON.parse(text);
    return typeof scenario === 'object' && scenario !== null && !Array.isArray(scenario) ? { scenario } : undefined;
  } catch {
    return undefined;
  }
}

interface FormProps {
  readonly rollout: RolloutRecord;
  readonly onDone: () => void;
}

function RehearseForm({ rollout, onDone }: FormProps) {
  const form = useForm({
    initialValues: { devices: 200 as number | string, seeds: 3 as number | string, compare: false, scenario: '' },
    validate: {
      devices: (n) => Number(n) < 1,
      seeds: (n) => Number(n) < 1,
      scenario: (text) => scenarioIn(text) === undefined,
    },
  });
  const start = useChange('rehearsals.start', 'rehearsals');
  const send = async (): Promise<void> => {
    const { compare, devices, scenario, seeds } = form.values;
    const body = { devices: Number(devices), seeds: Number(seeds), compare, ...scenarioIn(scenario) };
    await start.mutateAsync({ params: { rollout_id: rollout.id }, body });
    notify(t.begun);
    onDone();
  };
  const limits = { min: 1, allowDecimal: false, clampBehavior: 'strict' } as const;
  return (
    <Form submit={t.rehearseIt} onSubmit={send} disabled={!form.isValid()} fields={form}>
      <Text size="sm">{t.runsOnTwins}</Text>
      <NumberInput
        label={t.twins}
        description={t.twinsHint}
        {...limits}
        max={most.devices}
        data-autofocus
        {...form.getInputProps('devices')}
      />
      <NumberInput
        label={t.runs}
        description={t.runsHint}
        {...limits}
        max={most.seeds}
        {...form.getInputProps('seeds')}
      />
      <Switch label={t.compare} description={t.compareHint} {...form.getInputProps('compare', { type: 'checkbox' })} />
      <JsonInput
        label={t.scenario}
        description={t.scenarioHint}
        placeholder={exampleScenario}
        validationError={t.noJsonObject}
        autosize
        minRows={2}
        maxRows={12}
        {...form.getInputProps('scenario')}
      />
    </Form>
  );
}

/** Asks for a rehearsal. */
export function RehearseButton({ rollout }: { readonly rollout: RolloutRecord }) {
  const [asked, ask] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={ask.open}>
        {t.rehearse}
      </Button>
      <Dialog title={t.rehearsalOf(rollout.title)} opened={asked} onClose={ask.close}>
        <RehearseForm rollout={rollout} onDone={ask.close} />
      </Dialog>
    </>
  );
}

const inHours: readonly RehearsalMetric[] = ['half', 'most', 'nearly_all'];
const plain: readonly RehearsalMetric[] = ['peak_polls', 'peak_bytes'];

/** A figure over all runs, with its range where they differ. */
function spreadText(metric: RehearsalMetric, { least, mean, most }: RehearsalSpread): string {
  const text = (value: number): string => {
    const digits = formatNumber(value, 2);
    if (plain.includes(metric)) return digits;
    return inHours.includes(metric) ? t.hours(digits) : t.percent(digits);
  };
  if (least === null) return t.never;
  if (mean === null || most === null) return t.inSomeNot(text(least));
  return least === most ? text(mean) : t.range(text(mean), text(least), text(most));
}

interface OneProps {
  readonly rolloutId: string;
  readonly number: number;
}

/** What one has shown. */
function Report({ rolloutId, number }: OneProps) {
  const params = { rollout_id: rolloutId, number };
  const query = useCall('rehearsals.get', { params });
  return (
    <Loaded query={query}>
      {({ value: { report } }) =>
        report && (
          <Stack gap="sm">
            <SmallTable
              label={t.figuresOf(number)}
              columns={[
                t.measured,
                report.compared.length > 0 ? t.theseSettings : t.meanAndRange,
                ...report.compared.map(({ settings }) => variantNames[settings]),
              ]}
            >
              {rehearsalMetrics.map((metric) => (
                <Table.Tr key={metric}>
                  <Table.Td>{metricNames[metric]}</Table.Td>
                  <Table.Td>{spreadText(metric, report.spread[metric])}</Table.Td>
                  {report.compared.map(({ settings, spread }) => (
                    <Table.Td key={settings}>{spreadText(metric, spread[metric])}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </SmallTable>
            {report.assumed.length > 0 && (
              <>
                <Text size="sm">{t.takenForGranted}</Text>
                <List size="sm">
                  {report.assumed.map((line) => (
                    <List.Item key={line}>{line}</List.Item>
                  ))}
                </List>
              </>
            )}
            <Anchor size="sm" href={addressOf('rehearsals.page', { params })} target="_blank" rel="noopener">
              {t.whole}
            </Anchor>
          </Stack>
        )
      }
    </Loaded>
  );
}

interface RowProps {
  readonly rolloutId: string;
  readonly rehearsal: RehearsalRecord;
  readonly onShow: () => void;
}

function Row({ rolloutId, rehearsal, onShow }: RowProps) {
  const remove = useChange('rehearsals.remove', 'rehearsals');
  const { created_at, devices, number, percent, reason, seeds, state } = rehearsal;
  const isRunning = state === 'running';
  const end = (): void => void remove.mutateAsync({ params: { rollout_id: rolloutId, number } }).catch(notifyError);
  return (
    <Table.Tr>
      <Table.Td>{number}</Table.Td>
      <Table.Td>
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>{t.twinsAndRuns(devices, seeds)}</Table.Td>
      <Table.Td>
        <Stack gap={4}>
          <span role="status">
            <StateBadge state={state} />
          </span>
          {isRunning && <Progress value={percent} aria-label={t.progress(number)} />}
          {reason !== null && <Text size="xs">{sayReason(reason)}</Text>}
        </Stack>
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end">
          {state === 'done' && (
            <Button size="xs" variant="default" onClick={onShow}>
              {t.show(number)}
            </Button>
          )}
          <Button size="xs" variant="default" loading={remove.isPending} onClick={end}>
            {isRunning ? t.stop(number) : t.remove(number)}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** The rehearsals of a rollout, and what one of them has shown: the newest, until another is chosen. */
export function Rehearsals({ rollout }: { readonly rollout: RolloutRecord }) {
  const [chosen, choose] = useState<number>();
  const params = { rollout_id: rollout.id };
  const found = useCall('rehearsals.list', { params }).data?.value ?? [];
  const isRunning = found.some(({ state }) => state === 'running');
  useCall('rehearsals.list', { params }, { everyMs: runningMs, enabled: isRunning });
  if (found.length === 0) return null;
  const done = found.filter(({ state }) => state === 'done');
  const shown = done.find(({ number }) => number === chosen) ?? done[0];
  return (
    <Card title={t.rehearsals}>
      <Stack gap="md">
        <SmallTable label={t.rehearsals} columns={[t.number, common.made, t.twins, t.result, common.actions]}>
          {found.map((rehearsal) => (
            <Row
              key={rehearsal.number}
              rolloutId={rollout.id}
              rehearsal={rehearsal}
              onShow={() => choose(rehearsal.number)}
            />
          ))}
        </SmallTable>
        {shown && <Report key={shown.number} rolloutId={rollout.id} number={shown.number} />}
      </Stack>
    </Card>
  );
}
