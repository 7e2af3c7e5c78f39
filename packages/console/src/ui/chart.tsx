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
}

interface ChartProps {
  /** What it shows, for whoever cannot see it. */
  readonly label: string;
  /** Epoch seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly height?: number;
}

const cssColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function seriesOptions(series: readonly ChartSeries[], dark: boolean): UPlot.Series[] {
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
  return series.map(({ label, colour, bars: asBars }) => {
    const stroke = cssColour(`--mantine-color-${colour}-${dark ? 4 : 7}`);
    return {
      label,
      stroke,
      width: asBars ? 0 : 2,
      fill: asBars ? stroke : undefined,
      points: { show: !asBars },
      ...(asBars && bars && { paths: bars }),
    } as UPlot.Series;
  });
}

/** Values over time. A module of its own is loaded for it, so give it to `lazy`. */
export default function Chart({ label, times, series, height = 220 }: ChartProps) {
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
      axes: [axis, { ...axis, size: 56 }],
      scales: { x: { time: true } },
      cursor: { y: false },
    };
    plot.current = new UPlot(options, now, place.current);
    return () => plot.current?.destroy();
  }, [width, height, dark, names]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <Box ref={ref} role="img" aria-label={label} mih={height}>
      <div ref={place} />
    </Box>
  );
}
