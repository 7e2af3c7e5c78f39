import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeviceUuid, isUuid, parseMac, platformPartId } from './ids.ts';

test.each(['aa:bb:cc:dd:ee:ff', 'AA-BB-CC-DD-EE-FF', 'aabb.ccdd.eeff', 'AABBCCDDEEFF', 'Aa:bB:cc:dd:EE:ff'])(
  'parseMac reads %s',
  (text) => {
    expect(parseMac(text)).toEqual({ ok: true, value: 'AA:BB:CC:DD:EE:FF' });
  },
);

test.each([
  '',
  'aa:bb:cc:dd:ee',
  'aa:bb:cc:dd:ee:ff:00',
  'gg:bb:cc:dd:ee:ff',
  'aabbccddeef',
  'aabbccddeeff ',
  'aa:bbcc:dd:ee:ff',
])('parseMac refuses %j', (text) => {
  expect(parseMac(text).ok).toBe(false);
});

test('parseMac gives the same address for every spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (bytes) => {
      const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
      const spellings = [pairs.join(':'), pairs.join('-'), pairs.join(''), pairs.join(':').toUpperCase()];
      const parsed = spellings.map((spelling) => parseMac(spelling));
      expect(new Set(parsed.map((result) => result.ok && result.value)).size).toBe(1);
    }),
  );
});

test('isDeviceUuid takes 40 hex digits and nothing else', () => {
  expect(isDeviceUuid('0641304100000000000000000000000000000ABC')).toBe(true);
  expect(isDeviceUuid('064130410000000000000000000000000000ABC')).toBe(false);
  expect(isDeviceUuid('0641304100000000000000000000000000000ABG')).toBe(false);
});

test('isUuid takes the usual spelling and nothing else', () => {
  expect(isUuid('6F1C1F3E-6d0f-4f0b-9d55-0a4f7a7f4b1e')).toBe(true);
  expect(isUuid('6f1c1f3e6d0f4f0b9d550a4f7a7f4b1e')).toBe(false);
  expect(isUuid('6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e\n')).toBe(false);
});

test('platformPartId is the first eight digits in lower case', () => {
  expect(platformPartId('06413A4100000000000000000000000000000000')).toBe('06413a41');
});
