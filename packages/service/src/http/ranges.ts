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

/** The validators of a file: a quoted entity tag and a time in whole seconds. */
export interface Validators {
  readonly etag: string;
  readonly lastModifiedS: number;
}

const isoSeconds = (header: string): number => Math.floor(Date.parse(header) / 1000);

/** Whether the client has the file already (RFC 9110 13.1.2, 13.1.3); If-None-Match rules out If-Modified-Since. */
export function isNotModified(
  headers: { readonly 'if-none-match'?: string | undefined; readonly 'if-modified-since'?: string | undefined },
  { etag, lastModifiedS }: Validators,
): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  }
  const since = headers['if-modified-since'];
  return since !== undefined && lastModifiedS <= isoSeconds(since);
}

/**
 * Whether the file still is what the client wants a part of (RFC 9110 13.1.1, 13.1.4); If-Match rules out
 * If-Unmodified-Since.
 */
export function isAsExpected(
  headers: { readonly 'if-match'?: string | undefined; readonly 'if-unmodified-since'?: string | undefined },
  { etag, lastModifiedS }: Validators,
): boolean {
  const tags = headers['if-match'];
  if (tags !== undefined) return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim() === etag);
  const since = headers['if-unmodified-since'];
  return since === undefined || !(lastModifiedS > isoSeconds(since));
}

/** Whether a Range header counts, given If-Range (RFC 9110 13.1.5): only for exactly this version of the file. */
export function rangeApplies(ifRange: string | undefined, { etag, lastModifiedS }: Validators): boolean {
  if (ifRange === undefined) return true;
  return ifRange.trim() === etag || isoSeconds(ifRange) === lastModifiedS;
}
