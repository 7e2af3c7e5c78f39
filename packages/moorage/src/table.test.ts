import { expect, test } from 'vitest';
import { table } from './table.ts';

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
