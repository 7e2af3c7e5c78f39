import type { Duplex } from 'node:stream';
import { expect } from 'vitest';
import type { WebRig } from './web-rig.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets some turns of the event loop go by. */
export async function turns(count = 30): Promise<void> {
  for (let at = 0; at < count; at++) await turn();
}

/** A connection with all that has come over it. */
export async function line(rig: WebRig) {
  const stream: Duplex = await rig.dial();
  let received = '';
  let ended = false;
  stream.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  stream.on('close', () => {
    ended = true;
  });
  stream.on('end', () => {
    ended = true;
  });
  stream.on('error', () => {});
  return { stream, received: () => received, ended: () => ended };
}

/** Waits until it holds, for at most 2,000 turns. */
export const until = async (holds: () => boolean): Promise<void> => {
  for (let count = 0; count < 2_000 && !holds(); count++) await turn();
  expect(holds()).toBe(true);
};

/** A request for a command, as text. */
export const get = (line: string, more = ''): string =>
  `GET /command/${encodeURIComponent(line)} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

/** The replies of the command API in a text. */
export const replies = (text: string): readonly Record<string, unknown>[] =>
  Array.from(text.matchAll(/\{"id".*?\}/g), ([reply]) => JSON.parse(reply) as Record<string, unknown>);
