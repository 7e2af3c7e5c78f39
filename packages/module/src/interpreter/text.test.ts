import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText, encodeText } from './text.ts';

test('decodeText reads UTF-8', () => {
  expect(decodeText(Buffer.from('Café ☕'))).toBe('Café ☕');
});

test('encodeText gives back every byte that decodeText read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(Buffer.from(encodeText(decodeText(bytes)))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  [[0xff]],
  [[0x41, 0x80, 0x42]],
  [[0xe2, 0x82]],
  [[0xc0, 0xaf]],
  [[0xed, 0xa0, 0x80]],
  [[0xf4, 0x90, 0x80, 0x80]],
])('decodeText keeps bytes that are no UTF-8: %j', (bytes) => {
  expect([...encodeText(`<${decodeText(Uint8Array.from(bytes))}>`)]).toEqual([0x3c, ...bytes, 0x3e]);
});
