import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { written } from '../testing/written.ts';
import { openReporter } from './output.ts';
import { reportRows, table, timeText } from './table.ts';

test('a table is as wide as it has to be, and ends where its cells do', () => {
  const rows = [
    ['Lamp', 12],
    ['A lighthouse', null],
  ];
  expect(table(['title', 'done'], rows)).toBe('title         done\nLamp          12\nA lighthouse');
});

test('what others called their things does not steer the terminal, and is not endless', () => {
  const text = table(['title'], [['\u001b[2J\u0007red\nnext\u202e'], ['x'.repeat(200)]]);
  expect(text).toBe(`title
�[2J�red�next�
${'x'.repeat(59)}…`);
});

test.each([
  ['no rows', [], undefined, '0 wild cats\n'],
  ['one row', ['Tom'], undefined, 'name\nTom\n1 wild cat\n'],
  ['all rows', ['Tom', 'Ada'], 2, 'name\nTom\nAda\n2 wild cats\n'],
  ['some of the rows', ['Tom'], 12, 'name\nTom\n1 of 12 wild cats\n'],
])(
  'of a list with %s people read a table and how many there are, programs an event for each',
  (_, names, total, text) => {
    const report = { event: 'wild-cat', titles: ['name'], row: ({ name }: { name: string }) => [name] };
    const reported = (json: boolean): string => {
      const out = new PassThrough();
      const rows = names.map((name) => ({ name }));
      reportRows(openReporter(json, out), report, rows, total);
      return written(out);
    };
    expect(reported(false)).toBe(text);
    expect(reported(true)).toBe(names.map((name) => `{"event":"wild-cat","name":"${name}"}\n`).join(''));
  },
);

test.each([
  ['day', '2025-01-31'],
  ['minute', '2025-01-31 12:00'],
  ['second', '2025-01-31 12:00:59'],
] as const)('a moment is shown down to its %s, in UTC', (to, text) => {
  expect(timeText(Date.UTC(2025, 0, 31, 12, 0, 59, 999), to)).toBe(text);
  expect(timeText(String(Date.UTC(2025, 0, 31, 12, 0, 59)), to)).toBe(text);
});
