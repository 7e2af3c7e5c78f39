import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { unwrap } from './result.ts';

test('decodeBase64 gives back every byte string', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(Uint8Array.from(unwrap(decodeBase64(encodeBase64(bytes))))).toEqual(bytes);
    }),
  );
});

test('decodeBase64 takes a text without its padding', () => {
  expect(Buffer.from(unwrap(decodeBase64('aGVsbG8'))).toString()).toBe('hello');
});

test.each(['a', 'aGVsbG8==', 'aGVs\nbG8=', 'aGVs bG8=', 'aGVsbG8_', '=', '====', 'aGVsbG8=x', 'ä'])(
  'decodeBase64 refuses %j',
  (text) => {
    expect(decodeBase64(text).ok).toBe(false);
  },
);

test('decodeBase64 never throws', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof decodeBase64(text).ok === 'boolean'));
});
