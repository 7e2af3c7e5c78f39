import 'uplot/dist/uPlot.min.css';
import { Box, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { common } from '../texts/common.ts';
import { axisDate, axisNumber, barSpan, dateAxis, momentText, stackOf, wholeSteps } from './chart-scales.ts';

export interface ChartSeries {
  readonly label: string;
  /** Name of a colour of the theme: `teal`, `red`. */
  readonly colour: string;
  /** One value for each time; null is a gap. */
  readonly values: readonly (number | null)[];
  /** Bars of several series stand on top of each other, the first at the bottom. */
  readonly bars?: boolean;
  /** Colour under the line. */
  readonly area?: boolean;
  /** False: no marks on the line; without it where there is room. */
  readonly points?: boolean;
}

interface ChartProps {
  /** What it shows, for users who cannot see it. */
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

/** A colour that fades towards the axis of time; the plain one for the legend, which is made before there is a size. */
function fading({ ctx, bbox }: UPlot, colour: string): CanvasGradient | string {
  if (!Number.isFinite(bbox.top + bbox.height)) return colour;
  const gradient = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
  gradient.addColorStop(0, `${colour}44`);
  gradient.addColorStop(1, `${colour}05`);
  return gradient;
}

type Shown = () => readonly ChartSeries[];

function seriesOptions(shown: Shown, dark: boolean): UPlot.Series[] {
  const bars = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
  return shown().map(({ label, colour, bars: asBars, area, points }, index) => {
    const stroke = cssColour(`--mantine-color-${colour}-${dark ? 4 : 7}`);
    return {
      label,
      stroke,
      width: asBars ? 0 : 2,
      fill: asBars ? stroke : area ? (plot: UPlot) => fading(plot, stroke) : undefined,
      // What is drawn is a sum where bars are stacked; the text is the value itself.
      value: (_: UPlot, __: number, ___: number, at: number | null) =>
        at === null ? '' : String(shown()[index]?.values[at] ?? '–'),
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

function axesOf(whole: boolean): UPlot.Axis[] {
  const edge = cssColour('--mantine-color-default-border');
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: cssColour('--mantine-color-dimmed'), font, ticks: { show: false } };
  return [
    {
      ...axis,
      grid: { show: false },
      values: dateAxis.map((row) => [...row]),
      border: { show: true, stroke: edge },
      // In pixels: times with seconds do not touch, in wide letters either.
      space: 68,
    },
    {
      ...axis,
      size: 52,
      // The library's own texts follow the language of the browser; nothing else here does.
      values: (_, splits) => splits.map(axisNumber),
      grid: { stroke: edge, width: 1 },
      ...(whole && { incrs: [...wholeSteps] }),
    },
  ];
}

/** Values over time. A module of its own is loaded for it, so give it to `lazy`. */
export default function Chart({ label, times, series, height = 220, whole = false, minSpan = 60 }: ChartProps) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  const names = series.map((one) => `${one.label} ${one.colour} ${one.bars}`).join();
  const plot = useRef<UPlot>(undefined);
  const asBars = series.some(({ bars }) => bars);
  // Later series lie on top: of a stack the whole is drawn first.
  const ordered = asBars ? series.toReversed() : series;
  const drawn = asBars ? stackOf(series.map(({ values }) => values)).reverse() : series.map(({ values }) => values);
  // Safe: the library takes arrays that it does not change.
  const data = [times, ...drawn] as unknown as UPlot.AlignedData;
  const latest = useRef({ data, series: ordered });
  latest.current = { data, series: ordered };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for what of the series is not data
  useEffect(() => {
    if (!place.current || width === 0) return;
    const shown = seriesOptions(() => latest.current.series, dark);
    const options: UPlot.Options = {
      width,
      height,
      series: [{ label: common.time, value: (_, at) => momentText(at) }, ...shown],
      axes: axesOf(whole),
      fmtDate: axisDate,
      scales: {
        x: {
          time: true,
          range: (by, from, to) => (asBars ? barSpan(by.data[0], from, to) : spanOf(by, from, to, minSpan)),
        },
        ...(asBars && { y: { range: (_, __, most) => [0, Math.max(1, most ?? 0) * 1.05] } }),
      },
      cursor: { y: false },
    };
    plot.current = new UPlot(options, latest.current.data, place.current);
    return () => {
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [width, height, dark, names, whole, minSpan]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <Box ref={ref} role="img" aria-label={label} mih={height} className={asBars ? 'stacked' : ''}>
      <div ref={place} />
    </Box>
  );
}
