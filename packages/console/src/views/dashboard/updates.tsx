import { SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { plural } from '../../ui/format.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Loaded } from '../../ui/states.tsx';
import { nowMs } from '../../ui/time.ts';

const dayMs = 24 * 3_600_000;

/** How far back, and in what steps. */
const spans = {
  day: { label: '24 hours', ms: dayMs, interval: 'hour' },
  month: { label: '30 days', ms: 30 * dayMs, interval: 'day' },
  year: { label: 'Year', ms: 365 * dayMs, interval: 'week' },
} as const;
type Span = keyof typeof spans;

const hourMs = 3_600_000;

/** Updates that landed and failed over time. */
export function UpdatesOverTime() {
  const [span, setSpan] = useState<Span>('month');
  const { ms, interval, label } = spans[span];
  // On a full hour, so that the same figures are not asked for under ever new names.
  const from = Math.floor((nowMs() - ms) / hourMs) * hourMs;
  const query = useCall('metrics.activity', { query: { from, interval } }, { keepPrevious: true });
  return (
    <Card
      title="Updates over time"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time span"
          value={span}
          // Safe: the choices are the names of the spans.
          onChange={(value) => setSpan(value as Span)}
          data={Object.entries(spans).map(([value, one]) => ({ value, label: one.label }))}
        />
      }
    >
      <Loaded query={query}>
        {({ value: { series } }) => {
          const landed = series.reduce((sum, { ota_ok }) => sum + ota_ok, 0);
          const failed = series.reduce((sum, { ota_fail }) => sum + ota_fail, 0);
          const summary = `${plural(landed, 'update')} landed and ${plural(failed, 'update')} failed`;
          return (
            <>
              <Text size="sm" mb="xs">
                {summary} in the last {label.toLowerCase()}.
              </Text>
              <LazyChart
                whole
                label={`${summary}, per ${interval}`}
                times={series.map(({ at }) => Number(at) / 1000)}
                series={[
                  { label: 'Landed', colour: 'teal', values: series.map(({ ota_ok }) => ota_ok), bars: true },
                  { label: 'Failed', colour: 'red', values: series.map(({ ota_fail }) => ota_fail), bars: true },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
