import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ListenerAddress } from '../../testing/listener-process.ts';

const connections = 20_000;
/** Compiled code and the caches have their size by then. */
const settled = 5_000;
const mostBytesEach = 1024;
/** Connections at a time. */
const lanes = 16;

it('a connection with a certificate leaves nothing in memory', async () => {
  const script = fileURLToPath(new URL('../../testing/listener-process.ts', import.meta.url));
  // Little room for young objects: otherwise V8 takes and returns 20 MB of it as it likes.
  const listener = fork(script, { execArgv: ['--expose-gc', '--max-semi-space-size=1'] });
  try {
    // Safe: the first message of the process.
    const [{ port, ca, cert, key }] = (await once(listener, 'message')) as [ListenerAddress];
    const secureContext = createSecureContext({ ca, cert, key });

    /** One call of a device on a connection of its own; gives the line of its status. */
    const call = (): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        let reply = '';
        connect({ host: '127.0.0.1', port, secureContext })
          .on('error', reject)
          .on('data', (chunk) => {
            reply += String(chunk);
          })
          .on('close', () => resolve(reply.split('\r\n')[0]))
          .write('GET /info HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
      });

    const replies = new Set<string | undefined>();
    let made = 0;
    const residentAfter = async (count: number): Promise<number> => {
      const lane = async () => {
        for (; made < count; ) {
          made++;
          replies.add(await call());
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      listener.send('measure');
      // Safe: what it replies to each message.
      const [bytes] = (await once(listener, 'message')) as [number];
      return bytes;
    };

    const before = await residentAfter(settled);
    const after = await residentAfter(connections);
    expect(replies).toEqual(new Set(['HTTP/1.1 200 OK']));
    expect((after - before) / (connections - settled)).toBeLessThan(mostBytesEach);
  } finally {
    listener.kill();
  }
});
