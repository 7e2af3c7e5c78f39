import { expect, test } from 'vitest';
import { connectorOptions, contract, deviceListenerContract, endpointsOf, isBinary } from './index.ts';
import { doorName, filenamePattern, patternWords, visible } from './patterns.ts';

test.each([
  ['gate-17', true],
  ['aa:bb@x_1.2', true],
  ['...', true],
  ['.hidden', true],
  ['.', false],
  ['..', false],
  ['', false],
  ['a/b', false],
  ['a b', false],
])('name "%s" of a device behind a door: %s', (name, isName) => {
  expect(new RegExp(doorName).test(name)).toBe(isName);
});

/** Every pattern that a value may have, under the keyword or as the name of properties. */
function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'pattern' && typeof value === 'string') return [value];
    return keyword === 'x-rules' ? [] : patternsIn(value);
  });
}

const inputs = [...endpointsOf(contract), ...endpointsOf(deviceListenerContract)].flatMap(({ shape }) => [
  shape.params,
  shape.query,
  ...(isBinary(shape.body) ? [] : [shape.body]),
]);
const used = [...new Set(patternsIn([inputs, connectorOptions]))];

test.each(used)('%s is told in words', (pattern) => {
  expect(patternWords[pattern]).toMatch(/^(takes|may not be) /);
});

test.each(['a', 'a.b', '.a', '..a', '...', 'a..', 'web/index.html', 'a b/~'])('a file may be called %j', (name) => {
  expect(new RegExp(filenamePattern).test(name)).toBe(true);
});

test.each(['', '.', '..', '/', '/a', 'a/', 'a//b', 'a/../b', '../a', 'a/.', './a', 'a/..', 'a\nb', 'é', 'a\0'])(
  'no file may be called %j',
  (name) => {
    expect(new RegExp(filenamePattern).test(name)).toBe(false);
  },
);

test.each([
  ['a', true],
  [' a\n', true],
  ['', false],
  [' ', false],
  ['\t\u00a0\u2003', false],
  ['a\0', false],
])('title %j: %j', (title, isVisible) => {
  expect(new RegExp(visible).test(title)).toBe(isVisible);
});
