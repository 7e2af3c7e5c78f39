import { failure, type Result, success } from '@moorage/base';
import type { Frame } from '@moorage/net/http/web-socket';
import { decode, encode } from '@msgpack/msgpack';

/** What a message was written in; an answer uses the form of the question. */
export type Form = 'binary' | 'text';

export type Message = Readonly<Record<string, unknown>>;

export const formOf = (frame: Frame): Form => (typeof frame === 'string' ? 'text' : 'binary');

/** Without the ways of Node's own buffers, which would go into what is read. */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The dictionary in a frame; the error is a text for the other side. Spec: MOD-CHAN-form. */
export function readMessage(frame: Frame): Result<Message, string> {
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

/** Writes a message; values that are `undefined` are left out. */
export const writeMessage = (form: Form, message: Message): Frame =>
  form === 'text' ? JSON.stringify(message) : encode(message, { ignoreUndefined: true });

/** The same for data from outside: `undefined` when they are nested too deeply to be written. */
export function tryWriteMessage(form: Form, message: Message): Frame | undefined {
  try {
    return writeMessage(form, message);
  } catch {
    return undefined;
  }
}

export const frameBytes = (frame: Frame): number => Buffer.byteLength(frame);
