import 'uplot/dist/uPlot.min.css';
import { Box, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export interface ChartSeries {
  readonly label: string;
  /** Name of a colour of the theme: `teal`, `red`. */
  readonly colour: string;
  /** One value for each time; null is a gap. */
  readonly values: readonly (number | null)[];
  readonly bars?: boolean;
  /** False: no marks on the line; without it where there is room. */
  readonly points?: boolean;
}

interface ChartProps {
  /** What it shows, for whoever cannot see it. */
  readonly label: string;
  /** Epoch seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly height?: number;
  /** The values are counts: no axis with halves. */
  readonly whole?: boolean;
  /** Seconds that are shown at least; a single point would be alone in years otherwise. */
  readonly minSpan?: number;
}

const cssColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function seriesOptions(series: readonly ChartSeries[], dark: boolean): UPlot.Series[] {
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
  return series.map(({ label, colour, bars: asBars, points }) => {
    const stroke = cssColour(`--mantine-color-${colour}-${dark ? 4 : 7}`);
    return {
      label,
      stroke,
      width: asBars ? 0 : 2,
      fill: asBars ? stroke : undefined,
      ...((asBars || points !== undefined) && { points: { show: !asBars && points } }),
      ...(asBars && bars && { paths: bars }),
    } as UPlot.Series;
  });
}

/** What an axis of time shows. The library's own idea of a single point is three years. */
function spanOf({ data: [times] }: UPlot, from: number | null, to: number | null, minSpan: number): UPlot.Range.MinMax {
  const [first, last] = [times[0], times.at(-1)];
  const all = first !== undefined && last !== undefined && (from ?? first) <= first && (to ?? last) >= last;
  return all && last - first < minSpan ? [last - minSpan, last] : [from, to];
}

/** Distances between the lines of an axis of counts. */
const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7];

/** Values over time. A module of its own is loaded for it, so give it to `lazy`. */
export default function Chart({ label, times, series, height = 220, whole = false, minSpan = 60 }: ChartProps) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  const names = series.map((one) => `${one.label} ${one.colour} ${one.bars}`).join();
  const plot = useRef<UPlot>(undefined);
  // Safe: the library takes arrays that it does not change.
  const data = [times, ...series.map(({ values }) => values)] as unknown as UPlot.AlignedData;
  const latest = useRef({ data, series });
  latest.current = { data, series };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for what of the series is not data
  useEffect(() => {
    if (!place.current || width === 0) return;
    const axis = {
      stroke: cssColour('--mantine-color-text'),
      grid: { stroke: cssColour('--mantine-color-default-border'), width: 1 },
      ticks: { stroke: cssColour('--mantine-color-default-border'), width: 1 },
    };
    const { data: now, series: shown } = latest.current;
    const options: UPlot.Options = {
      width,
      height,
      series: [{}, ...seriesOptions(shown, dark)],
      axes: [axis, { ...axis, size: 56, ...(whole && { incrs: wholeSteps }) }],
      scales: { x: { time: true, range: (shownBy, from, to) => spanOf(shownBy, from, to, minSpan) } },
      cursor: { y: false },
    };
    plot.current = new UPlot(options, now, place.current);
    return () => plot.current?.destroy();
  }, [width, height, dark, names, whole, minSpan]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <Box ref={ref} role="img" aria-label={label} mih={height}>
      <div ref={place} />
    </Box>
  );
}
