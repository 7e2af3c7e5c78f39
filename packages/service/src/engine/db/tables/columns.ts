/** A truth value, stored as an integer in both databases so that one query serves both. */
export type Flag = 0 | 1;

/** Epoch milliseconds. */
export type TimeMs = number;

/** Columns of a record whose bytes are in the blob store. */
export interface StoredBytes {
  id: string;
  mime: string;
  size: number;
  /** CRC16-CCITT in the module's variant. */
  crc: number;
  /** Key of the bytes in the blob store. */
  sha256: string;
  created_at: TimeMs;
}

/** Columns of a stored file that belongs to a firmware or to a bundle. */
export interface StoredFile extends StoredBytes {
  filename: string;
  type: string;
  version: string;
}
