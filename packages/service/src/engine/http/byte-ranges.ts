import { randomBytes } from 'node:crypto';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { FileReply } from './types.ts';

/** Bytes of a file, and what stands before them. */
export interface Piece extends ByteRange {
  readonly head: string;
}

/** What is sent of a file: its headers, its pieces and what stands behind them. */
export interface Sent {
  readonly status: 200 | 206;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly pieces: readonly Piece[];
  readonly tail: string;
}

const rangeText = ({ start, end }: ByteRange, size: number): string => `bytes ${start}-${end - 1}/${size}`;
const lengthOf = (pieces: readonly Piece[], tail: string): number =>
  pieces.reduce((sum, { head, start, end }) => sum + head.length + end - start, tail.length);

/** A file as it is sent: whole, one range of it, or several as multipart/byteranges (RFC 9110 14.6). */
export function sentOf({ size, mime }: Pick<FileReply, 'size' | 'mime'>, wanted: readonly ByteRange[] | 'whole'): Sent {
  const ranges = wanted === 'whole' ? [{ start: 0, end: size }] : wanted;
  const [only] = ranges;
  if (ranges.length === 1 && only) {
    const headers = {
      'content-length': only.end - only.start,
      ...(wanted !== 'whole' && { 'content-range': rangeText(only, size) }),
    };
    return { status: wanted === 'whole' ? 200 : 206, headers, pieces: [{ ...only, head: '' }], tail: '' };
  }
  const boundary = randomBytes(16).toString('hex');
  // Clients look for the end of the line before a boundary, before the first one, too.
  const pieces = ranges.map((range) => {
    const lines = [`--${boundary}`, `Content-Type: ${mime}`, `Content-Range: ${rangeText(range, size)}`];
    return { ...range, head: `\r\n${lines.join('\r\n')}\r\n\r\n` };
  });
  const tail = `\r\n--${boundary}--\r\n`;
  const headers = {
    'content-type': `multipart/byteranges; boundary=${boundary}`,
    'content-length': lengthOf(pieces, tail),
  };
  return { status: 206, headers, pieces, tail };
}
