import { channelFrameLimitBytes } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { decode, encode } from '@msgpack/msgpack';

/** What a frame was written in; an answer uses the form of the question. */
export type Form = 'binary' | 'text';

/** One frame as it travels: MessagePack in bytes, or JSON in text. Spec: API-CHAN-text. */
export type Frame = string | Uint8Array;

export const formOf = (frame: Frame): Form => (typeof frame === 'string' ? 'text' : 'binary');

/** Without the ways of Node's own buffers, which say something else as JSON. */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The dictionary in a frame. The error is a text for the other side. */
export function readFrame(frame: Frame): Result<Readonly<Record<string, unknown>>, string> {
  let value: unknown;
  try {
    value = typeof frame === 'string' ? JSON.parse(frame) : decode(plain(frame));
  } catch {
    return failure(typeof frame === 'string' ? 'the frame is not JSON' : 'the frame is not MessagePack');
  }
  const isDictionary = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Safe: what both decoders make of a dictionary has texts as keys.
  return isDictionary ? success(value as Record<string, unknown>) : failure('the frame is no dictionary');
}

/** Bytes, which only MessagePack has, as base64. */
const jsonable = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

function asMessagePack(message: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  try {
    return encode(message, { ignoreUndefined: true });
  } catch {
    return undefined;
  }
}

/** A value as JSON, bytes in it as base64; `undefined` when it is too deep or has something that JSON cannot say. */
export function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, jsonable);
  } catch {
    return undefined;
  }
}

/**
 * Writes a dictionary into a frame. The error is a text for the sender: devices take no frame over the
 * limit, and data that is nested too deeply can be read, but not written.
 */
export function writeFrame(form: Form, message: Readonly<Record<string, unknown>>): Result<Frame, string> {
  const frame = form === 'text' ? asJson(message) : asMessagePack(message);
  if (frame === undefined) return failure('the data is nested too deeply');
  return Buffer.byteLength(frame) > channelFrameLimitBytes ? failure('the data is too long') : success(frame);
}
