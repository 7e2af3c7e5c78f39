import { failure, type Result, success } from './result.ts';

const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes standard base64, padded or not; line breaks and other characters are refused, which `Buffer` alone would
 * skip in silence.
 */
export function decodeBase64(text: string): Result<Uint8Array, 'malformed'> {
  const unpadded = text.replace(/=+$/, '');
  const padded = unpadded.length !== text.length;
  if (!base64Pattern.test(text) || unpadded.length % 4 === 1) return failure('malformed');
  if (padded && text.length % 4 !== 0) return failure('malformed');
  return success(Buffer.from(text, 'base64'));
}

/** Standard base64, padded. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
