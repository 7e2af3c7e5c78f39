// Set-up of every test file: bytes are compared as bytes. Vitest goes through an array element by element, which holds the
// event loop for seconds per MiB; meanwhile connections of the service under test time out.
import { expect } from 'vitest';

/** Set once the worker has the comparison: its files share the worker's list of comparisons. */
const installed = Symbol.for('moorage.compare-bytes');

const compareBytes = (left: unknown, right: unknown): boolean | undefined =>
  left instanceof Uint8Array && right instanceof Uint8Array ? Buffer.compare(left, right) === 0 : undefined;

if (!Reflect.has(globalThis, installed)) {
  Reflect.set(globalThis, installed, true);
  expect.addEqualityTesters([compareBytes]);
}
