/** Which reading of "CRC16-CCITT": the module family's (input bytes bit-reversed) or the common CCITT-FALSE. */
export type Crc16Variant = 'module' | 'ccitt-false';

/** Value before the first byte; also the CRC of nothing. */
export const crc16Initial = 0xffff;

/** All indexes below are within their array. */
const entry = (array: Uint8Array | Uint16Array | Int32Array, index: number): number => array[index] as number;

/** Bytes that one step takes. */
const stepBytes = 8;

const reversed = (byte: number): number => {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) result |= ((byte >> bit) & 1) << (7 - bit);
  return result;
};

/**
 * What a byte adds to the CRC when so many more bytes follow it: row `n` holds the remainders for `n` following bytes.
 * `spelled` turns the byte as it comes into the byte that counts.
 */
function remainders(spelled: (byte: number) => number): Rows {
  const rows = Array.from({ length: stepBytes }, () => new Uint16Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let remainder = spelled(byte) << 8;
    for (const row of rows) {
      for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1;
      remainder &= 0xffff;
      row[byte] = remainder;
    }
  }
  // As many as a step has bytes.
  return rows as unknown as Rows;
}

type Row = Uint16Array;
type Rows = readonly [Row, Row, Row, Row, Row, Row, Row, Row];

const plainRows = remainders((byte) => byte);
const rowsOf: Readonly<Record<Crc16Variant, Rows>> = { module: remainders(reversed), 'ccitt-false': plainRows };

/**
 * CRC-16 with polynomial 0x1021, initial value 0xFFFF and no final XOR, continued from `crc` over `bytes`.
 *
 * The variant `module` reverses the bits of each input byte and does not reverse the result: that is what host
 * libraries of the modules send, and what the modules print. Spec: MOD-FILE-crc.
 */
export function crc16(bytes: Uint8Array, crc: number = crc16Initial, variant: Crc16Variant = 'module'): number {
  if (bytes.length < foldedFrom) return crcOf(bytes, crc, variant);
  const head = -bytes.byteOffset & 3;
  const blocks = (bytes.length - head) >> 6;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + head, blocks * blockWords);
  const folded = fold(words, crcOf(bytes.subarray(0, head), crc, variant), variant);
  return crcOf(bytes.subarray(head + blocks * blockBytes), crcOf(folded, 0, variant), variant);
}

/** Shorter inputs are not worth the folding, in bytes. */
const foldedFrom = 512;
const blockWords = 16;
const blockBytes = 64;

/** The table's way, for what is short. */
function crcOf(bytes: Uint8Array, crc: number, variant: Crc16Variant): number {
  const [r0, r1, r2, r3, r4, r5, r6, r7] = rowsOf[variant];
  const [p0, , , , , , p6, p7] = plainRows;
  const lastStep = bytes.length - stepBytes;
  let value = crc;
  let at = 0;
  // Eight bytes at a step. The CRC so far adds to the first two.
  for (; at <= lastStep; at += stepBytes) {
    value =
      entry(p7, value >> 8) ^
      entry(p6, value & 0xff) ^
      entry(r7, entry(bytes, at)) ^
      entry(r6, entry(bytes, at + 1)) ^
      entry(r5, entry(bytes, at + 2)) ^
      entry(r4, entry(bytes, at + 3)) ^
      entry(r3, entry(bytes, at + 4)) ^
      entry(r2, entry(bytes, at + 5)) ^
      entry(r1, entry(bytes, at + 6)) ^
      entry(r0, entry(bytes, at + 7));
  }
  for (; at < bytes.length; at++) {
    value = ((value << 8) & 0xffff) ^ entry(p0, value >> 8) ^ entry(r0, entry(bytes, at));
  }
  return value;
}

/**
 * Bytes that have, started from 0, the CRC of `words` (whole blocks, at least one) continued from `crc`.
 *
 * Squaring the polynomial P = x^16 + x^12 + x^5 + 1 doubles its exponents, so P^32 = x^512 + x^384 + x^160 + 1: a word
 * of 32 bits may be moved 4, 11 and 16 words on without changing the remainder. Words are only XORed with words, so
 * neither the byte order of the host nor that of the bits matters. Files come in as fast as a socket takes them.
 */
function fold(words: Int32Array, crc: number, variant: Crc16Variant): Uint8Array {
  const rest = new Int32Array(blockWords);
  const restBytes = new Uint8Array(rest.buffer);
  const spelled = variant === 'module' ? reversed : (byte: number) => byte;
  restBytes[0] = spelled(crc >> 8);
  restBytes[1] = spelled(crc & 0xff);
  let w0 = entry(rest, 0);
  let [w1, w2, w3, w4, w5] = zeros;
  let [w6, w7, w8, w9, w10] = zeros;
  let [w11, w12, w13, w14, w15] = zeros;
  const last = words.length - blockWords;
  // Sixteen words in sixteen variables: each takes what comes, itself of 16 words ago, and those of 4 and 11 ago.
  for (let at = 0; at < last; at += blockWords) {
    w0 ^= entry(words, at) ^ w12 ^ w5;
    w1 ^= entry(words, at + 1) ^ w13 ^ w6;
    w2 ^= entry(words, at + 2) ^ w14 ^ w7;
    w3 ^= entry(words, at + 3) ^ w15 ^ w8;
    w4 ^= entry(words, at + 4) ^ w0 ^ w9;
    w5 ^= entry(words, at + 5) ^ w1 ^ w10;
    w6 ^= entry(words, at + 6) ^ w2 ^ w11;
    w7 ^= entry(words, at + 7) ^ w3 ^ w12;
    w8 ^= entry(words, at + 8) ^ w4 ^ w13;
    w9 ^= entry(words, at + 9) ^ w5 ^ w14;
    w10 ^= entry(words, at + 10) ^ w6 ^ w15;
    w11 ^= entry(words, at + 11) ^ w7 ^ w0;
    w12 ^= entry(words, at + 12) ^ w8 ^ w1;
    w13 ^= entry(words, at + 13) ^ w9 ^ w2;
    w14 ^= entry(words, at + 14) ^ w10 ^ w3;
    w15 ^= entry(words, at + 15) ^ w11 ^ w4;
  }
  // The last block takes what was moved into it and moves nothing on.
  const moved = [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15];
  for (let at = 0; at < blockWords; at++) {
    const fourAgo = at < 4 ? (moved[at + 12] ?? 0) : 0;
    const elevenAgo = at < 11 ? (moved[at + 5] ?? 0) : 0;
    rest[at] = entry(words, last + at) ^ (moved[at] ?? 0) ^ elevenAgo ^ fourAgo;
  }
  return restBytes;
}

const zeros = [0, 0, 0, 0, 0] as const;

/** Upper-case hex with four digits, as the module prints it in `file_stat`. */
export const formatCrc16 = (crc: number): string => crc.toString(16).toUpperCase().padStart(4, '0');
