import type { FileReply } from '../../engine/http/types.ts';

/** Records carry a file's CRC as four lower-case hex digits. */
export const formatCrc = (crc: number): string => crc.toString(16).padStart(4, '0');

/** A file whose bytes are in the blob store, as a handler returns it. */
export const fileReply = (
  { sha256, size, mime }: Pick<FileReply, 'sha256' | 'size' | 'mime'>,
  lastModifiedMs: number,
): FileReply => ({ sha256, size, mime, lastModifiedMs });
