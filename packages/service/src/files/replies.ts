import type { FileReply } from '../core/types.ts';

/** The ETag of a stored file: CRC and size. Reference: api 3.3. */
export const fileEtag = (crc: number, size: number): string => `${formatCrc(crc)}-${size}`;

/** Records carry a file's CRC as four lower-case hex digits. */
export const formatCrc = (crc: number): string => crc.toString(16).padStart(4, '0');

/** A file whose bytes are in the blob store, as a handler returns it. */
export const fileReply = (
  { sha256, size, mime, crc }: Pick<FileReply, 'sha256' | 'size' | 'mime'> & { readonly crc: number },
  lastModifiedMs: number,
): FileReply => ({ sha256, size, mime, etag: fileEtag(crc, size), lastModifiedMs });
