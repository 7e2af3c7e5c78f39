import { callUrl, endpointNamed } from '@moorage/api';
import type { Clock } from '@moorage/base';
import type { ServiceClient } from './service-client.ts';

/** Before a stream that has ended is asked for again, in ms. */
const againMs = 5_000;
/** Longest line of a stream, in characters. */
const lineLimit = 1024 * 1024;

/** Something that reports news, for as long as it can. */
export interface News {
  readonly isLive: () => boolean;
  readonly close: () => void;
}

/** The data of server-sent events, one text each; a stream of something else ends it. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineLimit) return;
    for (const line of lines) if (line.startsWith('data: ')) yield line.slice('data: '.length).trimEnd();
  }
}

/** Follows the live events of a service; asks again when a stream ends, until it is closed. */
export function followEvents({ api, token }: ServiceClient, clock: Clock, onEvent: (data: string) => void): News {
  const ending = new AbortController();
  let isLive = false;
  let cancel = (): void => {};
  const url = api + callUrl(endpointNamed('events.stream'), {});
  async function listen(): Promise<void> {
    const headers = { authorization: `Bearer ${token ?? ''}`, accept: 'text/event-stream' };
    const { ok, body } = await fetch(url, { headers, signal: ending.signal });
    if (!ok || !body) {
      await body?.cancel();
      return;
    }
    isLive = true;
    // What has happened before the stream began is seen by a look.
    onEvent('');
    for await (const data of eventData(body)) onEvent(data);
  }
  function begin(): void {
    listen()
      // That it cannot be reached is said by the looks that go on meanwhile.
      .catch(() => {})
      .finally(() => {
        isLive = false;
        if (!ending.signal.aborted) cancel = clock.after(againMs, begin);
      });
  }
  begin();
  return {
    isLive: () => isLive,
    close() {
      cancel();
      ending.abort();
    },
  };
}
