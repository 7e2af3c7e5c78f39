import { Readable } from 'node:stream';

/** The pieces of a source. Whoever stops before the end leaves a stream open: a reply to its sender may have to follow. */
export const chunksOf = (source: Readable | Uint8Array): AsyncIterable<Uint8Array> | Iterable<Uint8Array> =>
  source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : [source];
