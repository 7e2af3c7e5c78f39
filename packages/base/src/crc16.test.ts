import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Crc16Variant, crc16, formatCrc16 } from './crc16.ts';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

test.each([
  [ascii(''), 'FFFF', 'FFFF'],
  [ascii('a'), '10BE', '9D77'],
  [ascii('Hello World!'), '222F', '882A'],
  [ascii('0123456789'), '97C3', '7D61'],
  [ascii('123456789'), '89F6', '29B1'],
  [allBytes, 'C3F3', '3FBD'],
])('crc16 of vector %# in both variants (MOD-FILE-crc)', (bytes, inModuleVariant, inCommonVariant) => {
  expect(formatCrc16(crc16(bytes))).toBe(inModuleVariant);
  expect(formatCrc16(crc16(bytes, undefined, 'ccitt-false'))).toBe(inCommonVariant);
});

test('crc16 goes on over chunks as over the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), fc.nat(3000), (bytes, cut) => {
      for (const variant of ['module', 'ccitt-false'] as const) {
        const first = crc16(bytes.subarray(0, cut), undefined, variant);
        expect(crc16(bytes.subarray(cut), first, variant)).toBe(crc16(bytes, undefined, variant));
      }
    }),
  );
});

test('crc16 agrees with the bit-by-bit description', () => {
  const bitByBit = (bytes: Uint8Array, variant: Crc16Variant): number => {
    let crc = 0xffff;
    for (const byte of bytes) {
      let spelled = variant === 'module' ? 0 : byte;
      for (let bit = 0; bit < 8; bit++) if (variant === 'module' && byte & (1 << bit)) spelled |= 0x80 >> bit;
      crc ^= spelled << 8;
      for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
    }
    return crc;
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1500, size: 'max' }), (bytes) => {
      for (const variant of ['module', 'ccitt-false'] as const) {
        expect(crc16(bytes, undefined, variant)).toBe(bitByBit(bytes, variant));
      }
    }),
  );
});

test('crc16 notices every flipped bit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat(), fc.nat(7), (bytes, at, bit) => {
      const flipped = Uint8Array.from(bytes);
      flipped[at % bytes.length] = (flipped[at % bytes.length] ?? 0) ^ (1 << bit);
      expect(crc16(flipped)).not.toBe(crc16(bytes));
    }),
  );
});
