/** A question for a NetBIOS name. */
interface NetbiosQuery {
  readonly id: number;
  /** Up to 15 characters, without the spaces that fill it. */
  readonly name: string;
  /** The sixteenth byte: what kind of name it is. */
  readonly suffix: number;
}

const headerBytes = 12;
/** A name of 16 bytes takes two letters for each, with its length before and the end behind. */
const nameBytes = 34;
const typeNb = 0x0020;
const classIn = 0x0001;
/** Response, authoritative, with recursion desired as asked. */
const positiveResponse = 0x8500;
const ttlSeconds = 120;

/** The first level of RFC 1001, 14.1: a name, filled with spaces to 15 characters, and its suffix. */
export function encodeName(name: string, suffix: number): Uint8Array {
  const padded = Buffer.from(name.toUpperCase().padEnd(15, ' '), 'latin1').subarray(0, 15);
  const letters = [...padded, suffix].flatMap((byte) => [0x41 + (byte >> 4), 0x41 + (byte & 0xf)]);
  return Uint8Array.of(letters.length, ...letters, 0);
}

function decodeName(bytes: Uint8Array): { name: string; suffix: number } | undefined {
  if (bytes.length !== nameBytes || bytes[0] !== nameBytes - 2 || bytes[nameBytes - 1] !== 0) return undefined;
  const letters = bytes.subarray(1, nameBytes - 1);
  if (letters.some((letter) => letter < 0x41 || letter > 0x50)) return undefined;
  const half = (at: number): number => (letters[at] ?? 0x41) - 0x41;
  const name = Uint8Array.from({ length: 16 }, (_, at) => (half(2 * at) << 4) | half(2 * at + 1));
  return { name: Buffer.from(name.subarray(0, 15)).toString('latin1').trimEnd(), suffix: name[15] ?? 0 };
}

/** A name query request of RFC 1002, 4.2.12; `undefined` for every other packet. */
export function readNetbiosQuery(bytes: Uint8Array): NetbiosQuery | undefined {
  if (bytes.length < headerBytes + nameBytes + 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(2);
  // A request of opcode 0 with one question.
  if ((flags & 0xf800) !== 0 || view.getUint16(4) !== 1) return undefined;
  const end = headerBytes + nameBytes;
  if (view.getUint16(end) !== typeNb || view.getUint16(end + 2) !== classIn) return undefined;
  const decoded = decodeName(bytes.subarray(headerBytes, end));
  return decoded && { id: view.getUint16(0), ...decoded };
}

/** A positive name query response of RFC 1002, 4.2.13: a unique name of a node that broadcasts, and its address. */
export function netbiosAnswer(query: NetbiosQuery, ip: string): Uint8Array {
  const bytes = new Uint8Array(headerBytes + nameBytes + 16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, query.id);
  view.setUint16(2, positiveResponse);
  view.setUint16(6, 1);
  bytes.set(encodeName(query.name, query.suffix), headerBytes);
  const end = headerBytes + nameBytes;
  view.setUint16(end, typeNb);
  view.setUint16(end + 2, classIn);
  view.setUint32(end + 4, ttlSeconds);
  view.setUint16(end + 8, 6);
  // Flags: a unique name, and a node of type B.
  view.setUint16(end + 10, 0);
  bytes.set(ip.split('.').map(Number), end + 12);
  return bytes;
}
