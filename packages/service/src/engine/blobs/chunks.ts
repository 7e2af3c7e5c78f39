import { Readable } from 'node:stream';
import type { BlobSource } from './blob-store.ts';

/** The pieces of a source. A reader that stops before the end leaves a stream open: a reply to its sender may have to follow. */
export function chunksOf(source: BlobSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (source instanceof Readable) return source.iterator({ destroyOnReturn: false });
  return source instanceof Uint8Array ? [source] : source;
}
