import type { Readable } from 'node:stream';

/** What is known of bytes once they are durable. */
export interface BlobInfo {
  /** Lower-case hex; also the key. */
  readonly sha256: string;
  readonly size: number;
  /** CRC16-CCITT in the module's variant. */
  readonly crc: number;
  /** Which of the objects of this content holds the bytes, where a store has several. */
  readonly object?: string;
}

/** Part of a blob: `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes to be stored. What is asked for piece by piece is asked for no more than a few pieces ahead. */
export type BlobSource = Readable | AsyncIterable<Uint8Array> | Uint8Array;

/** Content-addressed bytes: equal contents are stored once. Nothing is ever held whole in memory. */
export interface BlobStore {
  /**
   * Stores a stream; resolves when the bytes are durable. Over `maxBytes` it stops reading, leaves nothing behind and
   * resolves to `undefined`. An error of the source rejects, and leaves nothing behind.
   */
  put(source: BlobSource, maxBytes: number): Promise<BlobInfo | undefined>;
  /**
   * Opens a blob for reading in chunks; `undefined` when there is none.
   *
   * @param from where the reading begins, if that is known: it may spare a far store a request
   */
  open(sha256: string, from?: number): Promise<OpenBlob | undefined>;
  /**
   * An address at which a client gets the bytes from the store itself for the next minutes, without any other right;
   * `undefined` when clients do not reach the store. Only stores that have addresses have this.
   */
  addressOf?(sha256: string, as: SentAs): Promise<string | undefined>;
  /**
   * Removes a blob; harmless when there is none. With `storedBeforeMs` (epoch ms) a blob that was put again since then
   * stays: a writer is about to record it.
   */
  remove(sha256: string, storedBeforeMs?: number): Promise<void>;
  /** Throws when nothing can be stored now. It leaves nothing behind. */
  check(): Promise<void>;
  /** All blobs, and when each was last put (epoch ms). */
  list(): AsyncIterable<{ readonly sha256: string; readonly storedAtMs: number }>;
}

/** Headers with which a store sends bytes. */
export interface SentAs {
  readonly 'content-type': string;
  readonly 'content-disposition'?: string;
}

export interface OpenBlob {
  readonly size: number;
  /** Reads up to `buffer.length` bytes from `position`; returns how many. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}
