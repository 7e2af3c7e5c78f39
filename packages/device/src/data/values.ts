import { type Capabilities, type DataCapability, type DataValue, dataValueLimit, valueProblem } from '@moorage/api';

/** A sample or the value of a control: `t` is epoch seconds, 0 when the service is to give its own time. */
export interface Datum {
  readonly n: string;
  readonly v: DataValue;
  readonly t: number;
}

/** A value to be written; whether its text is a number is for the capabilities to say. */
export interface WrittenValue {
  readonly name: string;
  readonly text: string;
  /** Epoch seconds; 0 when the service is to give its own time. */
  readonly t: number;
}

const numberForm = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

const readText = (text: string, { type }: DataCapability): DataValue => (type === 'number' ? Number(text) : text);

/** Why a text is no value for a stream or control; `undefined` when it suits it. Reference: data-cloud 2.3. */
export function textProblem(text: string, capability: DataCapability): string | undefined {
  // Neither JSON nor a database carries stray bytes or NUL: a sample with them would never be taken.
  if (!text.isWellFormed() || text.includes('\0')) return 'is not a text';
  if (text.length > dataValueLimit) return `is longer than ${dataValueLimit} characters`;
  if (capability.type === 'number' && !numberForm.test(text)) return 'is not a number';
  return valueProblem(readText(text, capability), capability);
}

/** The value that a text is for a stream or control; `undefined` when it does not suit it. */
export const suitedValue = (text: string, capability: DataCapability): DataValue | undefined =>
  textProblem(text, capability) === undefined ? readText(text, capability) : undefined;

/** Streams or controls by name. The names come from a file: one like `constructor` must not find what every object has. */
export const capabilityOf = (entries: Capabilities['controls'], name: string) =>
  entries && Object.hasOwn(entries, name) ? entries[name] : undefined;

/** What a sample takes of the cache, in bytes: `name,value,timestamp` and a bar. Reference: data-cloud 2.4. */
export const datumBytes = ({ n, v, t }: Datum): number => Buffer.byteLength(`${n},${v},${t}|`);
