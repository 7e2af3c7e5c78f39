import { type ControlRecord, type DataValue, dataValueLimit, valueProblem } from '@moorage/api';

/** What of a control says which values it takes. */
type Bounds = Pick<ControlRecord, 'type' | 'min' | 'max'>;

/** What was typed as a value of a control, or why it is none. */
export type Typed = { readonly value: DataValue } | { readonly problem: string };

/** Reads what was typed for a control. */
export function typedValue(text: string, { type, min, max }: Bounds): Typed {
  if (type === 'string') {
    return text.length > dataValueLimit ? { problem: `It is over ${dataValueLimit} characters long` } : { value: text };
  }
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'It is not a number' };
  const problem = valueProblem(value, { type, ...(min !== null && { min }), ...(max !== null && { max }) });
  return problem === undefined ? { value } : { problem: `It ${problem}` };
}

/** Which values a control takes, in words: `0 to 100 %`, `from 0`, `any text of up to 128 characters`. */
export function rangeText({ type, min, max, units }: Bounds & Pick<ControlRecord, 'units'>): string {
  if (type === 'string') return `any text of up to ${dataValueLimit} characters`;
  const unit = units ? ` ${units}` : '';
  if (min !== null && max !== null) return `${min} to ${max}${unit}`;
  if (min !== null) return `from ${min}${unit}`;
  return max === null ? `any number${unit && ` of${unit}`}` : `up to ${max}${unit}`;
}

/** Whether a control is on or off: it goes from 0 to 1, measures nothing, and has no value between the two. */
export const isOnOff = ({ type, min, max, units, value }: Bounds & Pick<ControlRecord, 'units' | 'value'>): boolean =>
  type === 'number' && min === 0 && max === 1 && !units && (value === null || value === 0 || value === 1);

/** Steps of a slider over a range: about a hundred, of a round size. */
export function stepOf(min: number, max: number): number {
  const rough = (max - min) / 100;
  return rough <= 0 ? 1 : 10 ** Math.floor(Math.log10(rough));
}
