import { createServer, type RequestListener } from 'node:http';
import { unwrap, VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { type Conditions, MemoryNetwork } from '../memory/index.ts';
import { HttpClient } from './client.ts';

const target = { host: 'service', port: 8443 };

/** A client and a server on a network in memory; `dials` counts its connections. */
async function rig(answer: RequestListener, conditions: (index: number) => Conditions = () => ({})) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  let dials = 0;
  network.conditions = ({ index }) => {
    dials++;
    return conditions(index);
  };
  const server = createServer(answer);
  unwrap(
    await network.attach('service', '10.0.0.2').listen(target.port, ({ stream }) => server.emit('connection', stream)),
  );
  const client = new HttpClient(network.attach('module', '10.0.0.1'), clock, target);
  return { clock, client, server, dials: () => dials };
}

const json =
  (status: number, body: unknown): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('JSON calls', () => {
  test('a value goes there and an answer comes back, over one connection', async () => {
    const { client, dials } = await rig((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        const body = JSON.stringify({ method, url, host: headers.host, body: String(Buffer.concat(chunks)) });
        response.end(body);
      });
    });
    const expected = { method: 'POST', url: '/ota', host: 'service:8443', body: '{"bid":"x"}' };
    expect(await client.json('POST', '/ota', { bid: 'x' })).toEqual({ ok: true, value: expected });
    expect(await client.json('GET', '/info')).toMatchObject({ ok: true, value: { method: 'GET', body: '' } });
    expect(dials()).toBe(1);
    client.close();
  });

  test.each([
    {
      name: 'our error body',
      answer: json(403, { message: 'You may not do this', code: 'FORBIDDEN' }),
      message: 'You may not do this',
    },
    {
      name: 'the error body of another server',
      answer: json(403, { message: 'Cannot read properties of undefined' }),
      message: 'The service answered with status 403',
    },
    { name: 'a page of a proxy', answer: json(502, 'oops'), message: 'The service answered with status 502' },
    {
      name: 'a body that is no JSON',
      answer: ((_, response) => response.writeHead(404).end('<html>')) as RequestListener,
      message: 'The service answered with status 404',
    },
  ])('a refusal with $name is a status', async ({ answer, message }) => {
    const { client } = await rig(answer);
    expect(await client.json('GET', '/info')).toMatchObject({ ok: false, error: { kind: 'status', message } });
  });

  test.each([
    ['text that is no JSON', 'nonsense'],
    ['more than a mebibyte', `"${'x'.repeat(1024 * 1024)}"`],
  ])('a reply of %s is malformed', async (_, text) => {
    const { client } = await rig((_request, response) => response.end(text));
    expect(await client.json('GET', '/info')).toMatchObject({ ok: false, error: { kind: 'malformed' } });
  });

  test('a refused dial is unreachable', async () => {
    const clock = new VirtualClock();
    const network = new MemoryNetwork(clock);
    network.attach('service', '10.0.0.2');
    const client = new HttpClient(network.attach('module', '10.0.0.1'), clock, target);
    expect(await client.json('GET', '/info')).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
  });

  test.each(['before', 'after'])('a service that falls silent %s its head is given up', async (when) => {
    const { client, clock } = await rig((_, response) => {
      if (when === 'after') response.writeHead(200, { 'content-length': 100 }).write('{');
    });
    const answer = client.json('GET', '/info');
    await clock.advance(29_999);
    await clock.advance(1);
    expect(await answer).toMatchObject({ ok: false, error: { kind: 'unreachable', detail: 'No answer in 30000 ms' } });
    expect(clock.pending).toBe(0);
  });

  test('a kept connection that the service closes is dialled anew', async () => {
    const served = new WeakSet<object>();
    const { client, dials } = await rig((request, response) => {
      if (served.has(request.socket)) request.socket.destroy();
      else json(200, 'hello')(request, response);
      served.add(request.socket);
    });
    expect(await client.json('GET', '/info')).toEqual({ ok: true, value: 'hello' });
    expect(await client.json('GET', '/info')).toEqual({ ok: true, value: 'hello' });
    expect(dials()).toBe(2);
  });

  test('a closed client has no connection left', async () => {
    const { client, dials, server } = await rig(json(200, 'hello'));
    const closed = new Promise((resolve) => server.on('connection', (stream) => stream.once('close', resolve)));
    unwrap(await client.json('GET', '/info'));
    client.close();
    await closed;
    expect(dials()).toBe(1);
  });
});

describe('downloads', () => {
  const content = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 251));

  const fileServer =
    (options: { readonly ignoresRange?: boolean } = {}): RequestListener =>
    (request, response) => {
      const from = options.ignoresRange ? 0 : Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': content.length - from, ...(from > 0 && range) });
      response.end(content.subarray(from));
    };

  async function download(client: HttpClient, from: number, size = content.length) {
    const chunks: Buffer[] = [];
    const receive = async (chunk: Uint8Array) => {
      chunks.push(Buffer.from(chunk));
    };
    const result = await client.download({ path: '/file', from, size, receive });
    return { result, bytes: Buffer.concat(chunks) };
  }

  test.each([
    ['from the beginning', 0, {}],
    ['by range', 1234, {}],
    ['from a server that ignores the range', 1234, { ignoresRange: true }],
  ] as const)('a file comes %s', async (_, from, options) => {
    const { client } = await rig(fileServer(options));
    const { result, bytes } = await download(client, from);
    expect(result.ok).toBe(true);
    expect(bytes.equals(content.subarray(from))).toBe(true);
  });

  test.each([
    ['longer than announced', 4999],
    ['shorter than announced', 5001],
  ])('a file that is %s is malformed', async (_, size) => {
    const { client } = await rig(fileServer());
    const { result, bytes } = await download(client, 0, size);
    expect(result).toMatchObject({ ok: false, error: { kind: 'malformed' } });
    expect(bytes.length).toBeLessThanOrEqual(size);
  });

  test('a partial reply that begins elsewhere is malformed', async () => {
    const { client } = await rig((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 2000-4999/5000' }).end(content.subarray(2000));
    });
    expect((await download(client, 1000)).result).toMatchObject({ ok: false, error: { kind: 'malformed' } });
  });

  test('what came before a cut is kept', async () => {
    const { client } = await rig(fileServer(), () => ({ cutAfterBytes: 2000 }));
    const { result, bytes } = await download(client, 0);
    expect(result).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
    expect(bytes.length).toBeGreaterThan(1500);
    expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
  });

  test('an error of the receiver goes to the caller', async () => {
    const { client } = await rig(fileServer());
    const receive = () => Promise.reject(new Error('flash is gone'));
    await expect(client.download({ path: '/file', from: 0, size: 5000, receive })).rejects.toThrow('flash is gone');
  });
});
