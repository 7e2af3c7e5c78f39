import { type DataValue, dataName } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Datum, WrittenValue } from '@moorage/device/data/values';

export type WriteError = 'too-few' | 'too-many' | 'invalid';

const namePattern = new RegExp(dataName);
const maxSeconds = 4_294_967_295;

/**
 * Reads the words of `cloud_write`, quotes included: `<name> <value> [timestamp]`, or one word of
 * `<name>,<value>[,<timestamp>]` with `|` between. Quotes keep commas, bars and spaces within a value; `textOf` says what
 * a typed value stands for. Spec: MOD-OPT-cloud_write-one, MOD-OPT-cloud_write-many. Reference: data-cloud 2.1.
 */
export function parseWrite(
  words: readonly string[],
  textOf: (typed: string) => string,
): Result<readonly WrittenValue[], WriteError> {
  const [first = '', ...rest] = words;
  const entries = splitOutside(first, '|').map((entry) => splitOutside(entry, ','));
  const isList = entries.length > 1 || (entries[0]?.length ?? 0) > 1;
  if (isList && rest.length > 0) return failure('too-many');
  if (!isList && words.length < 2) return failure('too-few');
  if (!isList && words.length > 3) return failure('too-many');
  const values = (isList ? entries : [words]).map((fields) => readEntry(fields, textOf));
  return values.every((value) => value !== undefined) ? success(values) : failure('invalid');
}

/** `undefined` for what is no name, value and time. */
function readEntry(fields: readonly string[], textOf: (typed: string) => string): WrittenValue | undefined {
  const [name = '', value, time = '0', ...more] = fields;
  if (value === undefined || more.length > 0 || !namePattern.test(name) || !/^\d{1,10}$/.test(time)) return undefined;
  const t = Number(time);
  return t <= maxSeconds ? { name, text: textOf(value), t } : undefined;
}

/** Splits at a separator that stands outside quotes. */
function splitOutside(text: string, separator: string): readonly string[] {
  const parts = [''];
  let inside = false;
  for (const character of text) {
    if (character === '"') inside = !inside;
    if (character === separator && !inside) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** A value as the command line takes it: in quotes where it has characters that part values. */
export function valueText(value: DataValue): string {
  const text = String(value);
  return /[,|]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `<value>`, with `,<timestamp>` when there is one. Spec: MOD-OPT-cloud_read-timestamp. */
export const timedText = ({ v, t }: Pick<Datum, 'v' | 't'>): string =>
  t === 0 ? valueText(v) : `${valueText(v)},${t}`;

/** Controls as `name,value` with bars between; of one that was asked for by name the value alone. Spec: MOD-OPT-cloud_read-name. */
export const controlsText = (controls: readonly Datum[]): string =>
  controls.map((control) => `${control.n},${timedText(control)}`).join('|');
