import type { IncomingMessage } from 'node:http';
import { failure, type Result, success } from '@moorage/base';

/** Longest body of a request, in bytes. Spec: MOD-LIMIT-http-request. */
export const maxBodyBytes = 4096;

/** How much of a body that is too long is still read, so that its sender gets to read the answer; in bytes. */
const maxDiscardedBytes = 1024 * 1024;

/** `too-large`: the sender has been heard out if it was not too long-winded. `gone`: it went away. */
type BodyError = 'too-large' | 'gone';

/** A client that asks first whether it may send its body: with one that is too long it need not. */
export const asksInVain = ({ headers }: IncomingMessage): boolean =>
  headers.expect !== undefined && Number(headers['content-length'] ?? 0) > maxBodyBytes;

/** Reads the body of a request to its end. */
export function readBody(request: IncomingMessage): Promise<Result<Uint8Array, BodyError>> {
  if (asksInVain(request)) return Promise.resolve(failure('too-large'));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else if (bytes > maxDiscardedBytes) {
        request.pause();
        resolve(failure('too-large'));
      }
    });
    request.once('end', () => {
      if (bytes > maxBodyBytes) resolve(failure('too-large'));
      else resolve(success(chunks.length === 1 ? (chunks[0] ?? noBytes) : Buffer.concat(chunks)));
    });
    request.once('close', () => resolve(failure('gone')));
  });
}

const noBytes = new Uint8Array();
