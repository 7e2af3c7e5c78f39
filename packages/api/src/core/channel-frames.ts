import { failure, type Result, success } from '@moorage/base';
import { decode } from '@msgpack/msgpack';

/** What a frame was written in; an answer uses the form of the question. */
export type Form = 'binary' | 'text';

/** One frame as it travels: MessagePack in bytes, or JSON in text. Spec: API-CHAN-text. */
export type Frame = string | Uint8Array;

/** The dictionary in a frame. */
export type Message = Readonly<Record<string, unknown>>;

export const formOf = (frame: Frame): Form => (typeof frame === 'string' ? 'text' : 'binary');

/** Without the ways of Node's own buffers, which would go into what is read and say something else as JSON. */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The dictionary in a frame; the error is a text for the other side. Spec: MOD-CHAN-form. */
export function readFrame(frame: Frame): Result<Message, string> {
  let value: unknown;
  try {
    value = typeof frame === 'string' ? JSON.parse(frame) : decode(plain(frame));
  } catch {
    return failure(typeof frame === 'string' ? 'the frame is not JSON' : 'the frame is not MessagePack');
  }
  const isDictionary = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Safe: what both decoders make of a dictionary has texts as keys.
  return isDictionary ? success(value as Message) : failure('the frame is no dictionary');
}
