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

/** What of a file a request asks for: all of it, parts in their order, or a part that is not there. */
export type Wanted = readonly ByteRange[] | 'whole' | 'unsatisfiable';

/** Ranges of one request; one with more gets the whole file. Clients of deltas ask for up to 255. Spec: API-LIMIT-ranges. */
export const rangesLimit = 256;

/** One part of a list of ranges; nothing for one that is malformed, `past` for one behind the end. */
function oneRange(text: string, size: number): ByteRange | 'past' | undefined {
  const match = /^\s*(\d{0,15})-(\d{0,15})\s*$/.exec(text);
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'past' : { start: size - count, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'past';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/**
 * Reads a Range header for a file of `size` bytes. Other units, malformed ranges, more than there may be, and those that
 * overlap or are not in order get the whole file, as RFC 9110 14.2 allows.
 */
export function wantedRange(header: string | undefined, size: number): Wanted {
  const list = /^bytes=(.*)$/.exec(header?.trim() ?? '')?.[1]?.split(',', rangesLimit + 1) ?? [];
  if (list.length === 0 || list.length > rangesLimit) return 'whole';
  const found = list.map((text) => oneRange(text, size));
  if (found.includes(undefined)) return 'whole';
  const ranges = found.filter((range) => typeof range === 'object');
  if (ranges.length === 0) return 'unsatisfiable';
  const isInOrder = ranges.every(({ start }, at) => at === 0 || start >= (ranges[at - 1]?.end ?? 0));
  return isInOrder ? ranges : 'whole';
}
