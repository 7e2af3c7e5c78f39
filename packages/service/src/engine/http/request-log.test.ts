import { expect, it } from 'vitest';
import { statusOf } from './errors.ts';
import { buildServer } from './server.ts';

it.each(['error', 'info'] as const)(
  'log of requests has a line for each that was answered, at the level %s too',
  async (logLevel) => {
    const written: string[] = [];
    const logStream = { write: (line: string) => void written.push(line) };
    const app = buildServer({ statusOf, logLevel, accessLog: true, logStream, endpoints: [] });
    app.get('/here', async () => ({}));
    app.get('/posts/:key', async () => ({}));
    await app.inject({ url: '/here?a=1' });
    await app.inject({ url: '/nowhere', headers: { authorization: 'Bearer secret' } });
    await app.inject({ url: '/posts/secret' });
    await app.close();
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'GET', url: '/here?a=1', status: 200, reqId: expect.any(String), durationMs: expect.any(Number) },
      { method: 'GET', url: '/nowhere', status: 404, ip: '127.0.0.1' },
      // The key in the path is a secret: its holder may post.
      { method: 'GET', url: '/posts/:key', status: 200 },
    ]);
    expect(written.join('')).not.toContain('secret');
  },
);
