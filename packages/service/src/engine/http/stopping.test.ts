import { Agent, get } from 'node:http';
import { expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp } from '../../testing/index.ts';

const clients = 40;

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

const ask = (url: string, agent: Agent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent }, (reply) => {
      reply.resume().once('end', () => resolve({ status: reply.statusCode, connection: reply.headers.connection }));
    });
    request.once('error', reject);
  });

it('a service that stops cuts no kept-alive connection under a request: the last answer on each says that it ends', async () => {
  const app = await buildApp(await openRecords('sqlite::memory:'), { settings: { deviceInsecure: true } });
  const { service } = app;
  const origins = await Promise.all(
    [service.api, service.devices].map((server) => server.listen({ host: '127.0.0.1', port: 0 })),
  );
  let begun = 0;
  const allBegun = Promise.withResolvers<void>();
  /** Asks again and again on one connection, until an answer ends it. */
  const client = async (origin: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let asked = 0; ; asked++) {
        const answer = await ask(`${origin}/info`, agent);
        if (asked === 0 && ++begun === clients) allBegun.resolve();
        if (answer.connection === 'close') return answer.status;
      }
    } finally {
      agent.destroy();
    }
  };
  const ends = Promise.all(Array.from({ length: clients }, (_, at) => client(origins[at % 2] ?? '')));
  await allBegun.promise;
  await service.close();
  // The one knows no such path, the other no such device: each has answered to the end.
  expect(new Set(await ends)).toEqual(new Set([404, 403]));
  await app.storage.close();
});
