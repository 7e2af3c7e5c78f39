/** What is needed of DER (X.690), the encoding of certificates: a tag, a length, and the contents. */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One value: its tag as a byte, and its contents one after another. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length: number[] = [];
  for (let rest = body.length; rest > 0; rest >>= 8) length.unshift(rest & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length, ...length]), body]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => der(tags.sequence, ...contents);
export const set = (...contents: readonly Uint8Array[]): Buffer => der(tags.set, ...contents);
export const octets = (bytes: Uint8Array): Buffer => der(tags.octets, bytes);
export const utf8 = (text: string): Buffer => der(tags.utf8, Buffer.from(text));
export const yes = der(tags.boolean, Buffer.from([0xff]));

/** @param unused bits of the last byte that do not count */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => der(tags.bits, Buffer.from([unused]), bytes);

/** A number that is not negative, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  // A leading bit that is set would make it negative.
  const sign = (digits[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0);
  return der(tags.integer, sign, digits);
}

/** An object identifier as people write it: `2.5.29.35`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(tags.objectId, Buffer.from(bytes));
}

/** A moment, epoch ms, to the second; certificates write years from 2050 on in the longer form (RFC 5280, 4.1.2.5). */
export function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/[-:T]|\..*$/g, '');
  const isLong = Number(digits.slice(0, 4)) >= 2050;
  return isLong
    ? der(tags.generalizedTime, Buffer.from(`${digits}Z`))
    : der(tags.utcTime, Buffer.from(`${digits.slice(2)}Z`));
}

/** A value that was read: all of its bytes, and its contents alone. */
export interface Read {
  readonly tag: number;
  readonly whole: Buffer;
  readonly contents: Buffer;
}

/** The values that lie one after another in `bytes`. Throws when they are cut. */
export function readAll(bytes: Buffer): Read[] {
  const found: Read[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const short = bytes.readUInt8(at + 1);
    const long = short >= 0x80 ? short - 0x80 : 0;
    const length = long > 0 ? bytes.readUIntBE(at + 2, long) : short;
    const start = at + 2 + long;
    if (start + length > bytes.length) throw new Error(`A value of ${length} bytes is cut`);
    found.push({ tag, whole: bytes.subarray(at, start + length), contents: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
