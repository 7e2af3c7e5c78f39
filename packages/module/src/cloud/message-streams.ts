import { messageLimitBytes } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type DataCloud, type DataRefusal, dataEndpoints } from '@moorage/device';
import type { Stream, WriteSink } from '../device/streams.ts';

/** A message to the device, as a list shows it. */
interface ListedMessage {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  /** Bytes. */
  readonly length: number;
}

/** Which part of a message is read. */
export type MessagePart = 'data' | 'body' | 'all';

export type MessageRefusal = DataRefusal | { readonly kind: 'no-message' };

/** The message boxes of the module: reads `to-device`, writes `from-device`. Spec: MOD-CMD-cloud_message. */
export class DataMessages {
  readonly #cloud: DataCloud;
  /** Ids of the last list, by index. */
  #listed: readonly string[] | undefined;

  constructor(cloud: DataCloud) {
    this.#cloud = cloud;
  }

  /** A boot: no list has been printed. */
  forget(): void {
    this.#listed = undefined;
  }

  /** Messages that wait, oldest first: the newest `count` of them, and only those after `since` (epoch seconds). */
  async list(query: { count?: number; since?: number } = {}): Promise<Result<readonly ListedMessage[], DataRefusal>> {
    const messages = await this.#cloud.request(dataEndpoints.messages, { query });
    if (messages.ok) this.#listed = messages.value.map(({ id }) => id);
    return messages;
  }

  /** The text of a message, by index or id; of the oldest one without either. */
  async get(which: string | undefined, part: MessagePart): Promise<Result<CloudStream, MessageRefusal>> {
    const id = await this.#idOf(which);
    if (!id.ok) return id;
    const message = await this.#cloud.request(dataEndpoints.message, { params: { message_id: id.value } });
    if (!message.ok) return message;
    const { body } = message.value;
    const texts = { data: body.data, body: JSON.stringify(body), all: JSON.stringify(message.value) };
    return success(readingMessage(id.value, Buffer.from(texts[part])));
  }

  async remove(which: string): Promise<Result<void, MessageRefusal>> {
    const id = await this.#idOf(which);
    if (!id.ok) return id;
    const removed = await this.#cloud.request(dataEndpoints.remove, { params: { message_id: id.value } });
    return removed.ok ? success(undefined) : removed;
  }

  /** A message to the service, written through a stream; `refused` is called with why it could not be posted. */
  post(refused: (refusal: DataRefusal | { readonly kind: 'no-text' }) => void): CloudStream {
    return writingMessage(async (bytes) => {
      const data = textOf(bytes);
      const posted: Result<unknown, DataRefusal | { readonly kind: 'no-text' }> =
        data === undefined ? failure({ kind: 'no-text' }) : await this.#cloud.post(data);
      if (!posted.ok) refused(posted.error);
      return posted.ok;
    });
  }

  /** Indexes are those of the last list; without one the box is looked at now. */
  async #idOf(which: string | undefined): Promise<Result<string, MessageRefusal>> {
    const index = which ?? '0';
    if (!/^\d{1,3}$/.test(index)) return success(index);
    if (which === undefined || !this.#listed) {
      const listed = await this.list();
      if (!listed.ok) return listed;
    }
    const id = this.#listed?.[Number(index)];
    return id === undefined ? failure({ kind: 'no-message' }) : success(id);
  }
}

/** A stream of type CLOUD. Spec: MOD-STREAM-CLOUD. */
export type CloudStream = Stream & { readonly type: 'CLOUD' };

/** The bytes of a message that has been fetched. */
function readingMessage(id: string, content: Uint8Array): CloudStream {
  let position = 0;
  return {
    type: 'CLOUD',
    info: () => `to-device ${id} (${content.length}, ${position})`,
    available: () => content.length - position,
    remoteClosed: true,
    read(max) {
      const bytes = content.subarray(position, position + max);
      position += bytes.length;
      return bytes;
    },
    close: () => {},
  };
}

/** Collects a message, which is posted when the user closes the stream; one without bytes is none. */
function writingMessage(post: (content: Uint8Array) => Promise<boolean>): CloudStream {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const sink: WriteSink = {
    append(chunk) {
      chunks.push(Uint8Array.from(chunk));
      length += chunk.length;
    },
    end: () => success(undefined),
    // What came stays, as in a file.
    abort: () => {},
  };
  return {
    type: 'CLOUD',
    info: () => `from-device (${length})`,
    available: () => 0,
    remoteClosed: false,
    writeRoom: () => messageLimitBytes - length,
    write: (size) => (size > messageLimitBytes - length ? failure('too-large') : success(sink)),
    // Spec: MOD-OPT-cloud_message-post.
    complete: async () =>
      length === 0 || (await post(Buffer.concat(chunks))) ? success(undefined) : failure('not-posted'),
    close: () => {},
  };
}

/** `undefined` for bytes that are no UTF-8, and for NUL, which no database takes: a message is a text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
