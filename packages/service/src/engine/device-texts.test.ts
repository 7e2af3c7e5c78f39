import { expect, it } from 'vitest';
import { deviceTexts } from './device-texts.ts';

it.each([
  [{ a: 'x\0y' }, { a: 'xy' }],
  [{ 'a\0': [' \0', 1, null, true] }, { a: [' ', 1, null, true] }],
  [[{ b: { c: '\0\0' } }], [{ b: { c: '' } }]],
  [{ bytes: Uint8Array.of(0, 1) }, { bytes: Uint8Array.of(0, 1) }],
  [{ a: 'b' }, { a: 'b' }],
  [JSON.parse('{"__pr\\u0000oto__":{"isAdmin":true},"a":"b"}'), { a: 'b' }],
])('%j loses the character NUL', (said, taken) => {
  const found = deviceTexts(said);
  expect(found).toEqual(taken);
  expect('isAdmin' in found).toBe(false);
});

it('goes deeper than calls can', () => {
  let deep: { in?: unknown; text?: string } = { text: 'a\0' };
  const last = deep;
  for (let level = 0; level < 100_000; level++) deep = { in: deep };
  deviceTexts(deep);
  expect(last.text).toBe('a');
});
