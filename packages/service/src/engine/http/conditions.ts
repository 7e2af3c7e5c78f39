import { type Refusal, refusal } from '@moorage/api';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { RequestHeaders, Validators } from './types.ts';

/** The ETag of stored bytes, as the header has it. Reference: api 3.3. */
export const etagOf = ({ sha256 }: Pick<Validators, 'sha256'>): string => `"${sha256}"`;

/** A header that may come once; of several lines what a list of them means. */
const field = (headers: RequestHeaders, name: string): string | undefined => headers[name]?.toString();

const secondsOf = (header: string): number => Math.floor(Date.parse(header) / 1000);
const isNewerThan = ({ lastModifiedMs }: Validators, header: string): boolean =>
  Math.floor(lastModifiedMs / 1000) > secondsOf(header);

/** Whether a list of entity tags has this one; weak ones count where the bytes need not be compared strictly. */
function lists(tags: string, etag: string, weak: 'weak' | 'strong'): boolean {
  if (tags.trim() === '*') return true;
  return tags.split(',').some((tag) => (weak === 'weak' ? tag.trim().replace(/^W\//, '') : tag.trim()) === etag);
}

/** Whether the client has it already (RFC 9110 13.1.2, 13.1.3); If-None-Match rules out If-Modified-Since. */
export function isNotModified(headers: RequestHeaders, validators: Validators): boolean {
  const tags = field(headers, 'if-none-match');
  if (tags !== undefined) return lists(tags, etagOf(validators), 'weak');
  const since = field(headers, 'if-modified-since');
  return since !== undefined && secondsOf(since) >= Math.floor(validators.lastModifiedMs / 1000);
}

/** Whether it still is what the client means (RFC 9110 13.1.1, 13.1.4); If-Match rules out If-Unmodified-Since. */
export function isAsExpected(headers: RequestHeaders, validators: Validators | undefined): boolean {
  const tags = field(headers, 'if-match');
  if (tags !== undefined) return validators !== undefined && lists(tags, etagOf(validators), 'strong');
  const since = field(headers, 'if-unmodified-since');
  return since === undefined || validators === undefined || !isNewerThan(validators, since);
}

/**
 * The refusal of a change whose conditions do not hold: FILE_CHANGED. `If-None-Match: *` writes only what is not there
 * yet. Spec: API-ERR-412.
 *
 * @param validators of what is there now; `undefined` when nothing is
 */
export function refuseChanged(headers: RequestHeaders, validators: Validators | undefined): Refusal | undefined {
  const tags = field(headers, 'if-none-match');
  const isThere = validators !== undefined && tags !== undefined && lists(tags, etagOf(validators), 'weak');
  return isThere || !isAsExpected(headers, validators) ? refusal('FILE_CHANGED') : undefined;
}

/**
 * Whether a Range header counts, given If-Range (RFC 9110 13.1.5): only for exactly these bytes. A time never does: its
 * seconds do not tell a file from the one that took its place at once.
 */
export const rangeApplies = (headers: RequestHeaders, validators: Validators): boolean => {
  const expected = field(headers, 'if-range');
  return expected === undefined || expected.trim() === etagOf(validators);
};

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
