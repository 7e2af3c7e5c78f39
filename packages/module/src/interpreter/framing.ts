import type { Payload, Response } from './reply.ts';
import { decodeText, encodeText } from './text.ts';

/** Type letter of a header: response, log, and response of the safe mode. Spec: MOD-OUT-3. */
export type HeaderType = 'R' | 'L' | 'S';

/** Longest payload that five decimal digits can announce, its line end included, in bytes. */
export const maxPayloadBytes = 99_999;

const lineEnd = Buffer.from('\r\n');
const noBytes = new Uint8Array();

/**
 * One block of output. With headers: `<T><c><LLLLL>` CR LF and, unless the payload is empty, the payload with its
 * final CR LF, which the length counts. Without: the payload and CR LF alone.
 *
 * A payload that five digits cannot announce is cut there: a client that trusts the length stays in step.
 * Spec: MOD-OUT-2, MOD-OUT-3, MOD-OUT-4, MOD-OUT-5, MOD-LINE-empty-payload.
 */
export function frame(header: HeaderType | undefined, code: number, payload: Payload): Uint8Array {
  const pieces = framePieces(header, code, payload);
  const [first = noBytes] = pieces;
  return pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** The same in pieces, so that a payload of bytes is not copied. */
export function framePieces(header: HeaderType | undefined, code: number, payload: Payload): readonly Uint8Array[] {
  const plain = typeof payload === 'string' && isAscii(payload);
  if (plain && payload.length + 2 <= maxPayloadBytes) return [frameText(header, code, payload)];
  const pieces = typeof payload === 'string' ? [encodeText(payload)] : piecesOf(payload);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (header === undefined) return [...pieces, lineEnd];
  if (length === 0) return [Buffer.from(headerText(header, code, 0))];
  const longest = maxPayloadBytes - lineEnd.length;
  const kept = length <= longest ? pieces : [Buffer.concat(pieces, length).subarray(0, longest)];
  return [Buffer.from(headerText(header, code, Math.min(length, longest) + lineEnd.length)), ...kept, lineEnd];
}

/** A payload as text. */
export const payloadText = (payload: Payload): string =>
  typeof payload === 'string' ? payload : decodeText(Buffer.concat(piecesOf(payload)));

const piecesOf = (payload: Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] =>
  payload instanceof Uint8Array ? [payload] : payload;

/** The bytes that a response keeps when it goes to a CMD stream instead: what a human would see of it. */
export const payloadBytes = (response: Response): Uint8Array => frame(undefined, response.code, response.payload);

function frameText(header: HeaderType | undefined, code: number, text: string): Uint8Array {
  if (header === undefined) return Buffer.from(`${text}\r\n`, 'latin1');
  if (text === '') return Buffer.from(headerText(header, code, 0), 'latin1');
  return Buffer.from(`${headerText(header, code, text.length + 2)}${text}\r\n`, 'latin1');
}

const headerText = (type: HeaderType, code: number, length: number): string =>
  `${type}${code}${String(length).padStart(5, '0')}\r\n`;

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
