import { Button, Collapse, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SampleRecord, StreamRecord } from '@moorage/api';
import { type ReactNode, useId, useMemo } from 'react';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { formatMoment, msOf } from '../../texts/format.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
import { Loaded } from '../../ui/states.tsx';
import { withStream } from '../tiles/layout.ts';
import { useDashboard } from '../tiles/use-dashboard.ts';
import { formatValue, plotOf, type Range, summaryOf } from './samples.ts';
import { useSeries } from './use-series.ts';

/** Rows of a list of samples; the chart has them all. */
const listedSamples = 100;

interface StreamProps {
  readonly stream: StreamRecord;
  readonly records: readonly SampleRecord[];
}

function SampleTable({ stream, records }: StreamProps) {
  return (
    <SmallTable
      label={t.samplesOfNewestFirst(stream.name)}
      maxHeight={300}
      columns={[common.time, common.value]}
      verticalSpacing={4}
    >
      {records
        .slice(-listedSamples)
        .reverse()
        .map(({ at, value }, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: samples of the same moment have nothing else of their own
          <Table.Tr key={`${at} ${row}`}>
            <Table.Td>{formatMoment(msOf(at))}</Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{formatValue(value, stream.units)}</Table.Td>
          </Table.Tr>
        ))}
    </SmallTable>
  );
}

function NumberChart({ stream, records, range }: StreamProps & { readonly range: Range }) {
  const [listed, { toggle }] = useDisclosure();
  const id = useId();
  const { times, values, lows, highs } = useMemo(() => plotOf(records, range), [records, range]);
  const name = stream.title ?? stream.name;
  const label = stream.units ? `${name}, ${stream.units}` : name;
  const summary = summaryOf(records, stream.units);
  const ofIntervals = range.intervalMs !== undefined;
  return (
    <Stack gap="xs">
      <LazyChart
        label={t.overTime(name, summary)}
        times={times}
        minSpan={range.spanMs / 1000 / 15}
        series={[
          { label: ofIntervals ? t.mean(label) : label, colour: 'cyan', values, area: !ofIntervals },
          ...(ofIntervals
            ? [
                { label: t.lowest, colour: 'blue', values: lows },
                { label: t.highest, colour: 'orange', values: highs },
              ]
            : []),
        ]}
      />
      <Group justify="space-between" gap="xs">
        <Muted>{summary}</Muted>
        <UnstyledButton fz="sm" td="underline" onClick={toggle} aria-expanded={listed} aria-controls={id}>
          {listed ? t.hideValues : t.showValues}
        </UnstyledButton>
      </Group>
      <Collapse expanded={listed} id={id}>
        {listed && <SampleTable stream={stream} records={records} />}
      </Collapse>
    </Stack>
  );
}

function Last({ stream: { last, units } }: { readonly stream: StreamRecord }) {
  if (!last) return <Text c="dimmed">{t.noSampleYet}</Text>;
  return (
    <Text size="sm" component="div">
      <b>{formatValue(last.value, units)}</b> · <Moment at={last.at} />
    </Text>
  );
}

interface StreamCardProps {
  readonly deviceId: string;
  readonly stream: StreamRecord;
  readonly range: Range;
  /** The device, where the page is not its own. */
  readonly device?: ReactNode;
}

/** Puts a stream onto the dashboard of the user. */
function ToDashboard({ deviceId, name }: { readonly deviceId: string; readonly name: string }) {
  const { tiles, save } = useDashboard();
  const add = async (): Promise<void> => {
    if (!tiles) return;
    await save(withStream(tiles, deviceId, name));
    notify(t.isOnDashboard(name));
  };
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      ml="auto"
      aria-label={t.streamToDashboard(name)}
      onClick={() => void add().catch(notifyError)}
    >
      {t.toDashboard}
    </Button>
  );
}

/** One stream: a chart when it is of numbers, a list when it is of texts. */
export function StreamCard({ deviceId, stream, range, device }: StreamCardProps) {
  const query = useSeries(deviceId, stream.name, range);
  const { name, title } = stream;
  return (
    <Card title={title ?? name} actions={<Last stream={stream} />}>
      <Group gap={4} mb="xs">
        <Muted small>
          {device} {name}
        </Muted>
        <Copy value={name} label={t.nameOfStream(name)} />
        {device === undefined && <ToDashboard deviceId={deviceId} name={name} />}
      </Group>
      <Loaded query={query}>
        {(records) => {
          if (records.length === 0) return <Muted>{t.noSampleInThisRange}</Muted>;
          if (stream.type === 'string') return <SampleTable stream={stream} records={records} />;
          return <NumberChart stream={stream} records={records} range={range} />;
        }}
      </Loaded>
    </Card>
  );
}
