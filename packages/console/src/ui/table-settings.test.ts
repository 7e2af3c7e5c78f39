import { expect, test } from 'vitest';
import { readKept } from './table-settings.ts';

test.each([
  [undefined, 50, {}],
  ['', 50, {}],
  ['null', 50, {}],
  ['[1]', 50, {}],
  ['{"rows":100}', 100, {}],
  ['{"rows":100000,"columns":{"mac":true,"tag":false}}', 50, { mac: true, tag: false }],
  ['{"rows":"25","columns":{"mac":1}}', 50, {}],
  ['{"columns":null}', 50, {}],
])('settings kept as %j are %d rows and the columns %j', (text, rows, columns) => {
  expect(readKept(text)).toEqual({ rows, columns });
});
