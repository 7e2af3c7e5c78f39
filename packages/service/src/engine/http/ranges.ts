import type { ByteRange } from '../blobs/blob-store.ts';

/** What of a file a request asks for: all of it, a part, or a part that is not there. */
export type Wanted = ByteRange | 'whole' | 'unsatisfiable';

/**
 * Reads a Range header for a file of `size` bytes. Several ranges, other units and malformed ones get the whole file,
 * as RFC 9110 14.2 allows.
 */
export function wantedRange(header: string | undefined, size: number): Wanted {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
