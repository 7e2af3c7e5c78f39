/** Every entry begins on a multiple of this, after a header of this size. */
export const blockBytes = 512;

/** What eleven octal digits can say. */
const entryLimitBytes = 8 ** 11 - 1;
const nameLimitBytes = 100;

/** Where the fields of a header are: first byte and length (POSIX ustar). */
const fields = {
  name: [0, nameLimitBytes],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const octal = (value: number, [, length]: readonly [number, number]): string =>
  `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The sum of all bytes of a header, with its own field taken as blanks. */
function checksumOf(header: Uint8Array): number {
  const [start, length] = fields.checksum;
  return header.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0);
}

/** Bytes after an entry's content, up to the next header. */
export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

export interface TarEntry {
  readonly name: string;
  /** Bytes of the content. */
  readonly size: number;
}

/** The header of a plain file that only its owner may read. */
export function tarHeader({ name, size }: TarEntry, atMs: number): Uint8Array {
  if (Buffer.byteLength(name) > nameLimitBytes) throw new Error(`Name "${name}" is too long for an archive`);
  if (size > entryLimitBytes) throw new Error(`"${name}" has ${size} bytes, over the limit of ${entryLimitBytes}`);
  const header = Buffer.alloc(blockBytes);
  const put = (text: string, [start]: readonly [number, number]) => header.write(text, start, 'latin1');
  put(name, fields.name);
  put(octal(0o600, fields.mode), fields.mode);
  put(octal(0, fields.uid), fields.uid);
  put(octal(0, fields.gid), fields.gid);
  put(octal(size, fields.size), fields.size);
  put(octal(Math.floor(atMs / 1000), fields.mtime), fields.mtime);
  put('0', fields.type);
  put('ustar\x0000', fields.magic);
  put(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, fields.checksum);
  return header;
}

/** Two empty blocks end an archive. */
export const tarEnd = (): Uint8Array => Buffer.alloc(2 * blockBytes);

/** Reads a header; `undefined` when these bytes are none. */
export function readTarHeader(header: Uint8Array): TarEntry | undefined {
  const text = Buffer.from(header.buffer, header.byteOffset, header.byteLength).toString('latin1');
  const field = ([start, length]: readonly [number, number]): string =>
    text.slice(start, start + length).replace(/[\0 ].*$/s, '');
  const [size, checksum] = [field(fields.size), field(fields.checksum)];
  if (header.length !== blockBytes || !text.startsWith('ustar', fields.magic[0])) return undefined;
  if (!/^[0-7]+$/.test(size) || Number.parseInt(checksum, 8) !== checksumOf(header)) return undefined;
  return { name: field(fields.name), size: Number.parseInt(size, 8) };
}
