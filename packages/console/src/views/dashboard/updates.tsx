import { SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { nowMs } from '../../browser/time.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/dashboard.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Loaded } from '../../ui/states.tsx';
import { WhenSeen } from '../../ui/when-seen.tsx';

const dayMs = 24 * 3_600_000;

/** How far back, and in what steps. */
const spans = {
  day: { label: t.n24Hours, last: t.inLast24Hours, ms: dayMs, interval: 'hour' },
  month: { label: t.n30Days, last: t.inLast30Days, ms: 30 * dayMs, interval: 'day' },
  year: { label: t.year, last: t.inLastYear, ms: 365 * dayMs, interval: 'week' },
} as const;
type Span = keyof typeof spans;

const hourMs = 3_600_000;

/** What the chart takes, in pixels. */
const chartHeight = 220;

/** Updates that landed and failed over time. */
export function UpdatesOverTime() {
  const [span, setSpan] = useState<Span>('month');
  const { ms, interval, last } = spans[span];
  // On a full hour, so that the same figures are not asked for under ever new names.
  const from = Math.floor((nowMs() - ms) / hourMs) * hourMs;
  const query = useCall('metrics.activity', { query: { from, interval } }, { keepPrevious: true });
  return (
    <Card
      title={t.updatesOverTime}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t.timeSpan}
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
          const summary = t.landedAndFailed(plural(landed, nouns.update), plural(failed, nouns.update));
          return (
            <>
              <Text size="sm" mb="xs">
                {`${summary} ${last}.`}
              </Text>
              <WhenSeen height={chartHeight}>
                <LazyChart
                  whole
                  label={t.per(summary, t.intervals[interval])}
                  times={series.map(({ at }) => Number(at) / 1000)}
                  series={[
                    { label: t.landed, colour: 'teal', values: series.map(({ ota_ok }) => ota_ok), bars: true },
                    { label: common.failed, colour: 'red', values: series.map(({ ota_fail }) => ota_fail), bars: true },
                  ]}
                />
              </WhenSeen>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
