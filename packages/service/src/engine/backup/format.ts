import type { TableShape } from '../db/snapshot.ts';

/**
 * A backup is a tar archive: `moorage-backup.json`, the contents under `blobs/<sha256>`, the rows under
 * `records/<table>/<number>.jsonl` (one JSON array of values for each row), and `end.json`, which vouches for the rest.
 */
export const formatVersion = 1;

export const headName = 'moorage-backup.json';
export const endName = 'end.json';
/** The names of entries: of a blob, and of a piece of a table. */
export const blobName = (sha256: string): string => `blobs/${sha256}`;
export const recordsName = (table: string, number: number): string =>
  `records/${table}/${String(number).padStart(8, '0')}.jsonl`;

/** The hash of a blob's entry, and the table of an entry with rows. */
export const blobOf = (name: string): string | undefined => /^blobs\/([0-9a-f]{64})$/.exec(name)?.[1];
export const tableOf = (name: string): string | undefined => /^records\/(\w+)\/\d+\.jsonl$/.exec(name)?.[1];

/** First entry. */
export interface Head {
  readonly format: number;
  /** Epoch milliseconds. */
  readonly created_at: number;
  /** Version of the program that wrote it. */
  readonly version: string;
}

/** Last entry. Tables stand here, because only then it is known which snapshot all blobs are there of. */
export interface End {
  readonly database: 'sqlite' | 'postgres';
  readonly migrations: readonly string[];
  readonly tables: readonly TableShape[];
  readonly rows: number;
  readonly blobs: number;
  /** SHA-256 of every byte before this entry's header, hex. */
  readonly sha256: string;
}

/** Something with the archive or the storage that the user can mend: the message is for them. */
export class BackupError extends Error {}
