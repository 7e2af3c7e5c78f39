import type { PassThrough } from 'node:stream';

/** All that has been written to a stream since the last look: a read without a length gives one piece of it. */
export const written = (out: PassThrough): string => String(out.read(out.readableLength) ?? '');
