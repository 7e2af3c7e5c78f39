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

/** What a sample takes of the cache, in bytes: `name,value,timestamp` and a bar. Reference: data-cloud 2.4. */
export const datumBytes = ({ n, v, t }: Datum): number => Buffer.byteLength(`${n},${v},${t}|`);
