/** Which reading of "CRC16-CCITT": the module family's (input bytes bit-reversed) or the common CCITT-FALSE. */
export type Crc16Variant = 'module' | 'ccitt-false';

/** Value before the first byte; also the CRC of nothing. */
export const crc16Initial = 0xffff;

/** All indexes below are within their array. */
const entry = (array: Uint8Array | Uint16Array, index: number): number => array[index] as number;

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
  const [r0, r1, r2, r3, r4, r5, r6, r7] = rowsOf[variant];
  const [p0, , , , , , p6, p7] = plainRows;
  const lastStep = bytes.length - stepBytes;
  let value = crc;
  let at = 0;
  // Eight bytes at a step, spelled out: files come in as fast as a socket takes them. The CRC so far adds to the first two.
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

/** Upper-case hex with four digits, as the module prints it in `file_stat`. */
export const formatCrc16 = (crc: number): string => crc.toString(16).toUpperCase().padStart(4, '0');
