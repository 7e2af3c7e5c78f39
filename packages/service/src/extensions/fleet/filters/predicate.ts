import type { FieldName } from './fields.ts';
import type { Filter, Moment, Order, Test } from './parse.ts';

/** A device as filters see it. */
export interface DeviceFacts {
  readonly fields: Readonly<Record<FieldName, string | number | null>>;
  readonly attributes: ReadonlyMap<string, AttributeFact>;
  readonly labels: ReadonlyMap<string, string>;
}

/** The value of an attribute, and what it is as a number and as a version. */
export interface AttributeFact {
  readonly value: string;
  readonly number: number | null;
  readonly version_key: string | null;
}

const orderings: Readonly<Record<Order, (one: number | string, other: number | string) => boolean>> = {
  lt: (one, other) => one < other,
  le: (one, other) => one <= other,
  gt: (one, other) => one > other,
  ge: (one, other) => one >= other,
};

export const momentMs = (moment: Moment, nowMs: number): number =>
  'atMs' in moment ? moment.atMs : nowMs + moment.fromNowMs;

/** Whether all of a text fits a pattern in which `*` stands for any characters. */
function fits(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at + last.length <= text.length;
}

type Value = string | number | AttributeFact;

function passes(test: Test, value: Value, nowMs: number): boolean {
  const text = typeof value === 'object' ? value.value : String(value);
  if (test.by === 'text') return test.patterns.some((pattern) => fits(text, pattern));
  const order = orderings[test.order];
  if (test.by === 'time') return order(Number(text), momentMs(test.value, nowMs));
  if (typeof value !== 'object') return false;
  const comparable = test.by === 'number' ? value.number : value.version_key;
  return comparable !== null && order(comparable, test.value);
}

/** Whether a device fits a filter at a time, epoch ms. What a device has no value of fits nothing but a negation. */
export function fitsFilter(filter: Filter, device: DeviceFacts, nowMs: number): boolean {
  if ('of' in filter) {
    const fits = (part: Filter) => fitsFilter(part, device, nowMs);
    return filter.kind === 'all' ? filter.of.every(fits) : filter.of.some(fits);
  }
  const { field, test } = filter;
  const value = field.in === 'device' ? device.fields[field.name] : device[field.in].get(field.name);
  const isFit = value !== undefined && value !== null && passes(test, value, nowMs);
  return filter.kind === 'is' ? isFit : !isFit;
}
