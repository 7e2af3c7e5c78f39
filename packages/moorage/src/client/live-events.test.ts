import { expect, test } from 'vitest';
import { eventData } from './live-events.ts';

test('events are read however they are cut, and comments are passed over', async () => {
  const text = 'retry: 2000\n\nevent: log\ndata: {"a":"ä"}\n\n: still here\n\nevent: log\ndata: {"b":2}\r\n\ndata: cut';
  async function* bytes() {
    for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
  }
  const found: string[] = [];
  for await (const data of eventData(bytes())) found.push(data);
  expect(found).toEqual(['{"a":"ä"}', '{"b":2}']);
});

test('a stream without an end of line is not kept for ever', async () => {
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent += 1;
      yield new Uint8Array(65_536).fill(0x61);
    }
  }
  for await (const _ of eventData(endless())) throw new Error('There is no event');
  expect(sent).toBeLessThan(20);
});
