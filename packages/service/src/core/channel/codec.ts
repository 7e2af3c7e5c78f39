import { channelFrameLimitBytes } from '@moorage/api';
import type { Form, Frame, Message } from '@moorage/api/core/channel-frames';
import { failure, type Result, success } from '@moorage/base';
import { encode } from '@msgpack/msgpack';

/** Bytes, which only MessagePack has, as base64. */
const jsonable = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

function asMessagePack(message: Message): Uint8Array | undefined {
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
export function writeFrame(form: Form, message: Message): Result<Frame, string> {
  const frame = form === 'text' ? asJson(message) : asMessagePack(message);
  if (frame === undefined) return failure('the data is nested too deeply');
  return Buffer.byteLength(frame) > channelFrameLimitBytes ? failure('the data is too long') : success(frame);
}
