import {
  type Capabilities,
  type DataCapability,
  type DataValue,
  dataName,
  dataValueLimit,
  valueProblem,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';

/** A sample or the value of a control: `t` is epoch seconds, 0 when the service is to give its own time. */
export interface Datum {
  readonly n: string;
  readonly v: DataValue;
  readonly t: number;
}

/** One value as a command line has it. */
export interface WrittenValue {
  readonly name: string;
  readonly text: string;
  readonly t: number;
}

export type WriteError = 'too-few' | 'too-many' | 'invalid';

const namePattern = new RegExp(dataName);
const numberForm = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
const maxSeconds = 4_294_967_295;

/**
 * Reads the words of `cloud_write`, quotes included: `<name> <value> [timestamp]`, or one word of
 * `<name>,<value>[,<timestamp>]` with `|` between. Quotes keep commas, bars and spaces within a value; nothing escapes
 * a quote. Spec: MOD-OPT-cloud_write-one, MOD-OPT-cloud_write-many. Reference: data-cloud 2.1.
 */
export function parseWrite(words: readonly string[]): Result<readonly WrittenValue[], WriteError> {
  const [first = '', ...rest] = words;
  const entries = splitOutside(first, '|').map((entry) => splitOutside(entry, ','));
  const isList = entries.length > 1 || (entries[0]?.length ?? 0) > 1;
  if (isList && rest.length > 0) return failure('too-many');
  if (!isList && words.length < 2) return failure('too-few');
  if (!isList && words.length > 3) return failure('too-many');
  const values = (isList ? entries : [words]).map(readEntry);
  return values.every((value) => value !== undefined) ? success(values) : failure('invalid');
}

/** `undefined` for what is no name, value and time. */
function readEntry(fields: readonly string[]): WrittenValue | undefined {
  const [name = '', value, time = '0', ...more] = fields;
  const text = value?.replaceAll('"', '');
  if (text === undefined || more.length > 0 || !namePattern.test(name) || !/^\d{1,10}$/.test(time)) return undefined;
  const t = Number(time);
  return t <= maxSeconds ? { name, text, t } : undefined;
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

/** The value that a text is for a stream or control; `undefined` when it does not suit it. Reference: data-cloud 2.3. */
export function suitedValue(text: string, capability: DataCapability): DataValue | undefined {
  const isNumber = capability.type === 'number';
  // Neither JSON nor a database carries stray bytes or NUL: a sample with them would never be taken.
  if (!text.isWellFormed() || text.includes('\0')) return undefined;
  if (text.length > dataValueLimit || (isNumber && !numberForm.test(text))) return undefined;
  const value = isNumber ? Number(text) : text;
  if (isNumber && !Number.isFinite(value)) return undefined;
  return valueProblem(value, capability) === undefined ? value : undefined;
}

/** Streams or controls by name. The names come from a file: one like `constructor` must not find what every object has. */
export const capabilityOf = (entries: Capabilities['controls'], name: string) =>
  entries && Object.hasOwn(entries, name) ? entries[name] : undefined;

/** A value as the command line takes it: in quotes where it has characters that part values. */
export function valueText(value: DataValue): string {
  const text = String(value);
  return /[,|]/.test(text) ? `"${text}"` : text;
}

/** `<value>`, with `,<timestamp>` when there is one. Spec: MOD-OPT-cloud_read-timestamp. */
export const timedText = ({ v, t }: Pick<Datum, 'v' | 't'>): string =>
  t === 0 ? valueText(v) : `${valueText(v)},${t}`;

/** What a sample takes of the cache, in bytes: `name,value,timestamp` and a bar. Reference: data-cloud 2.4. */
export const datumBytes = ({ n, v, t }: Datum): number => Buffer.byteLength(`${n},${v},${t}|`);
