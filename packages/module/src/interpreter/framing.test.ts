import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frame } from './framing.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

// Spec: MOD-OUT-2, MOD-OUT-3, MOD-OUT-4, MOD-OUT-5.
test.each([
  ['R', 0, 'Set OK', 'R000008\r\nSet OK\r\n'],
  ['R', 1, 'Command failed', 'R100016\r\nCommand failed\r\n'],
  ['L', 0, 'File deleted', 'L000014\r\nFile deleted\r\n'],
  ['S', 0, '1', 'S000003\r\n1\r\n'],
  ['R', 0, '', 'R000000\r\n'],
  ['R', 0, 'é', 'R000004\r\n\xc3\xa9\r\n'],
  [undefined, 0, 'Set OK', 'Set OK\r\n'],
  [undefined, 0, '', '\r\n'],
] as const)('frame prints type %j, code %i, %j', (type, code, payload, expected) => {
  expect(text(frame(type, code, payload))).toBe(expected);
});

test('frame keeps payload bytes as they are', () => {
  expect(text(frame('R', 0, Uint8Array.of(0, 13, 10, 255)))).toBe('R000006\r\n\0\r\n\xff\r\n');
});

test('frame cuts what five digits cannot announce', () => {
  for (const payload of ['x'.repeat(100_000), Buffer.alloc(100_000, 'x')]) {
    const bytes = text(frame('R', 0, payload));
    expect(bytes.slice(0, 9)).toBe('R099999\r\n');
    expect(bytes.length).toBe(9 + 99_999);
    expect(bytes.endsWith('x\r\n')).toBe(true);
  }
});

test('frame announces the bytes that follow', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array()), (payload) => {
      const bytes = text(frame('R', 0, payload));
      expect(Number(bytes.slice(2, 7))).toBe(bytes.length - 9);
    }),
  );
});
