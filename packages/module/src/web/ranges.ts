/** Part of a file: `start` to `end`, exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a header `Range` asks for. `undefined`: send the whole file, also when the header makes no sense or
 * asks for several parts, as servers may; `'unsatisfiable'`: there is no such part.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Whether a header `If-None-Match` names this tag. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
