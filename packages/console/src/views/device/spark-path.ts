import type { SampleRecord } from '@moorage/api';

/** Points of a small line; more could not be distinguished. */
const maxPoints = 120;
/** Room for the thickness of the line. */
const margin = 2;

/** A line through the values of numbers, from edge to edge of a drawing of this size; empty for fewer than two. */
export function sparkPath(
  records: readonly SampleRecord[],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const all = records.flatMap(({ at, value }) => (typeof value === 'number' ? [{ at: Number(at), value }] : []));
  const step = Math.ceil(all.length / maxPoints);
  const points = all.filter((_, index) => (all.length - 1 - index) % step === 0);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first === last) return '';
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const across = (at: number): number => margin + ((at - first.at) / (last.at - first.at || 1)) * (width - 2 * margin);
  const up = (value: number): number =>
    high === low ? height / 2 : height - margin - ((value - low) / (high - low)) * (height - 2 * margin);
  return `M${points.map(({ at, value }) => `${across(at).toFixed(1)} ${up(value).toFixed(1)}`).join('L')}`;
}
