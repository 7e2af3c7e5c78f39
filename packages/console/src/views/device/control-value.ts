import { type ControlRecord, type DataValue, dataValueLimit, valueProblem } from '@moorage/api';
import { t } from '../../texts/device-tabs.tsx';

/** What of a control says which values it takes. */
type Bounds = Pick<ControlRecord, 'type' | 'min' | 'max'>;

/** What was typed as a value of a control, or why it is none. */
export type Typed = { readonly value: DataValue } | { readonly problem: string };

/** Reads what was typed for a control. */
export function typedValue(text: string, { type, min, max }: Bounds): Typed {
  if (type === 'string') {
    return text.length > dataValueLimit ? { problem: t.itIsOverCharactersLong(dataValueLimit) } : { value: text };
  }
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: t.itIsNotNumber };
  const problem = valueProblem(value, { type, ...(min !== null && { min }), ...(max !== null && { max }) });
  return problem === undefined ? { value } : { problem: t.problem(problem) };
}

/** Which values a control takes, in words: `0 to 100 %`, `from 0`, `any text of up to 128 characters`. */
export function rangeText({ type, min, max, units }: Bounds & Pick<ControlRecord, 'units'>): string {
  if (type === 'string') return t.anyTextOfUpTo(dataValueLimit);
  const unit = units ? ` ${units}` : '';
  if (min !== null && max !== null) return t.to(min, max, unit);
  if (min !== null) return t.from(min, unit);
  return max === null ? t.anyNumber(unit && ` ${t.of(unit)}`) : t.upTo(max, unit);
}

/** Whether a control is on or off: it goes from 0 to 1, measures nothing, and has no value between the two. */
export const isOnOff = ({ type, min, max, units, value }: Bounds & Pick<ControlRecord, 'units' | 'value'>): boolean =>
  type === 'number' && min === 0 && max === 1 && !units && (value === null || value === 0 || value === 1);

/** Steps of a slider over a range: about a hundred, of a round size. */
export function stepOf(min: number, max: number): number {
  const rough = (max - min) / 100;
  return rough <= 0 ? 1 : 10 ** Math.floor(Math.log10(rough));
}
