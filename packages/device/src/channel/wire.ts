import type { Form, Frame, Message } from '@moorage/api/core/channel-frames';
import { encode } from '@msgpack/msgpack';

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
