/** Which reading of "CRC16-CCITT": the module family's (input bytes bit-reversed) or the common CCITT-FALSE. */
export type Crc16Variant = 'module' | 'ccitt-false';

/** Value before the first byte; also the CRC of nothing. */
export const crc16Initial = 0xffff;

const reverseBits = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit);
  return reversed;
});

const remainders = Uint16Array.from({ length: 256 }, (_, index) => {
  let remainder = index << 8;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1;
  return remainder & 0xffff;
});

/**
 * CRC-16 with polynomial 0x1021, initial value 0xFFFF and no final XOR, continued from `crc` over `bytes`.
 *
 * The variant `module` reverses the bits of each input byte and does not reverse the result: that is what host
 * libraries of the modules send, and what the modules print. Spec: MOD-FILE-crc.
 */
export function crc16(bytes: Uint8Array, crc: number = crc16Initial, variant: Crc16Variant = 'module'): number {
  let value = crc;
  if (variant === 'module') {
    for (let at = 0; at < bytes.length; at++) {
      const byte = reverseBits[bytes[at] as number] as number;
      value = ((value << 8) & 0xffff) ^ (remainders[(value >> 8) ^ byte] as number);
    }
    return value;
  }
  for (let at = 0; at < bytes.length; at++) {
    value = ((value << 8) & 0xffff) ^ (remainders[(value >> 8) ^ (bytes[at] as number)] as number);
  }
  return value;
}

/** Upper-case hex with four digits, as the module prints it in `file_stat`. */
export const formatCrc16 = (crc: number): string => crc.toString(16).toUpperCase().padStart(4, '0');
