import type { Generated } from 'kysely';
import type { StoredBytes, TimeMs } from './columns.ts';

/** Bytes that are durable in the blob store. A row exists before any record points at it. */
export interface BlobTable {
  sha256: string;
  size: number;
  /** Which object of an object store holds them, when that is known. */
  object: string | null;
  created_at: TimeMs;
  /** Check sums that update clients of other makers ask for, lower-case hex; made when they are first needed. */
  sha1: Generated<string | null>;
  md5: Generated<string | null>;
}

/** A file in the store of a device or of a product: exactly one of the two is set. */
export interface FileTable extends StoredBytes {
  device_id: string | null;
  product_id: string | null;
  /** Segments with slashes between them; unique in its store. */
  path: string;
  /** Four-part version, when the uploader gave one. */
  version: string | null;
  updated_at: TimeMs;
}

/** The picture of a user or of a platform: exactly one of the two is set. */
export interface AvatarTable extends StoredBytes {
  user_id: string | null;
  platform_id: string | null;
}
