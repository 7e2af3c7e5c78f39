import type { Version } from '@moorage/base';
import { type Area, type FileInfo, fileFlags } from './flash.ts';

/**
 * How one file lies in the store: a header with all that is known at creation, the content, and a trailer with the
 * CRC, which is known only at the end. All in one entry, so that a file is whole or absent.
 */
export const headerBytes = 24;
export const trailerBytes = 4;

const magic = 0x4d46; // "MF"
const trailerMagic = 0x6f6b; // "ok"

/** Store names of files begin so; other users of the store choose names of their own. */
const prefix = 'file/';

export const entryName = (fileName: string): string => prefix + fileName;

/** The file that a store name stands for; `undefined` for an entry that is not a flash file. */
export const fileNameOf = (storeName: string): string | undefined =>
  storeName.startsWith(prefix) ? storeName.slice(prefix.length) : undefined;

/** The first bytes of an entry. */
export function encodeHeader(info: Omit<FileInfo, 'crc' | 'name'>): Uint8Array {
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  view.setUint16(0, magic);
  view.setUint8(2, info.area.charCodeAt(0));
  view.setUint8(3, info.type);
  view.setUint16(4, info.flags);
  for (const [index, part] of info.version.entries()) view.setUint16(6 + 2 * index, part);
  view.setUint32(14, info.size);
  view.setUint32(18, info.unit);
  return header;
}

/** The last bytes of an entry; without them the file is not there. */
export function encodeTrailer(crc: number): Uint8Array {
  const trailer = new Uint8Array(trailerBytes);
  const view = new DataView(trailer.buffer);
  view.setUint16(0, trailerMagic);
  view.setUint16(2, crc);
  return trailer;
}

/** What the two ends of an entry say; `undefined` when they are not those of a complete file. */
export function decodeEntry(name: string, header: Uint8Array, trailer: Uint8Array): FileInfo | undefined {
  if (header.length !== headerBytes || trailer.length !== trailerBytes) return undefined;
  const head = viewOf(header);
  const tail = viewOf(trailer);
  const area = String.fromCharCode(head.getUint8(2));
  if (head.getUint16(0) !== magic || tail.getUint16(0) !== trailerMagic || !isArea(area)) return undefined;
  const flags = head.getUint16(4);
  if ((flags & fileFlags.valid) === 0) return undefined;
  const version: Version = [head.getUint16(6), head.getUint16(8), head.getUint16(10), head.getUint16(12)];
  return {
    name,
    area,
    type: head.getUint8(3),
    flags,
    version,
    size: head.getUint32(14),
    unit: head.getUint32(18),
    crc: tail.getUint16(2),
  };
}

/** Where the trailer of a file of `size` bytes begins; read from its header before the rest is. */
export const sizeInHeader = (header: Uint8Array): number =>
  header.length === headerBytes ? viewOf(header).getUint32(14) : 0;

const isArea = (text: string): text is Area => text === 'i' || text === 'e' || text === 'b';

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
