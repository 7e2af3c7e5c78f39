import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { ServiceConnection } from './connection.ts';

const content = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 251));

const sendFrom: RequestListener = ({ headers }, response) => {
  const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
  response.writeHead(from > 0 ? 206 : 200, from > 0 ? range : {}).end(content.subarray(from));
};

/** A service that sends clients which prefer it to `location`, an object store, and what both were asked. */
async function scene(location: string, store: RequestListener) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const asked: { readonly at: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const listen = async (name: string, address: string, port: number, answer: RequestListener) => {
    const server = createServer((request, response) => {
      asked.push({ at: `${name} ${request.url}`, headers: request.headers });
      answer(request, response);
    });
    const connected = ({ stream }: { readonly stream: unknown }) => server.emit('connection', stream);
    unwrap(await network.attach(name, address).listen(port, connected));
  };
  await listen('service', '10.0.0.2', 8443, (request, response) => {
    if (request.headers.prefer === 'redirect') response.writeHead(307, { location }).end();
    else sendFrom(request, response);
  });
  await listen('store', '10.0.0.3', 9000, store);
  const headers = { 'x-device-token': 'secret' };
  const target = { host: 'service', port: 8443, headers };
  const connection = new ServiceConnection(network.attach('module', '10.0.0.1'), clock, target);
  const chunks: Buffer[] = [];
  const receive = async (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk));
  const done = await connection.download({ path: '/file', from: 100, size: content.length, receive });
  connection.close();
  return { done, asked, isWhole: Buffer.concat(chunks).equals(content.subarray(100)) };
}

const address = 'http://store:9000/bucket/blob?signature=abc';

test('a download goes on at the object store where the service sends it, without the identity', async () => {
  const { done, asked, isWhole } = await scene(address, sendFrom);
  expect([done.ok, isWhole]).toEqual([true, true]);
  expect(asked.map(({ at }) => at)).toEqual(['service /file', 'store /bucket/blob?signature=abc']);
  expect(asked[1]?.headers).toMatchObject({ range: 'bytes=100-', host: 'store:9000' });
  expect(asked[1]?.headers).not.toHaveProperty('x-device-token');
  expect(asked[1]?.headers).not.toHaveProperty('prefer');
});

test.each<[string, string, RequestListener, string]>([
  ['refuses', address, (_, response) => response.writeHead(403).end(), 'bytes=100-'],
  [
    'sends it elsewhere',
    address,
    (_, response) => response.writeHead(307, { location: 'http://service:8443/file' }).end(),
    'bytes=100-',
  ],
  [
    'ends the download early',
    address,
    (_, response) =>
      response.writeHead(206, { 'content-range': 'bytes 100-1099/5000' }).end(content.subarray(100, 1100)),
    'bytes=1100-',
  ],
  ['is not reached', 'http://nowhere:9000/', sendFrom, 'bytes=100-'],
  ['has no address', '/elsewhere', sendFrom, 'bytes=100-'],
  ['has an address of another kind', 'file:///etc/passwd', sendFrom, 'bytes=100-'],
])('a store that %s leaves the rest of the download to the service', async (_, location, store, range) => {
  const { done, asked, isWhole } = await scene(location, store);
  expect([done.ok, isWhole]).toEqual([true, true]);
  expect(asked.at(-1)).toMatchObject({ at: 'service /file', headers: { range } });
  expect(asked.at(-1)?.headers).not.toHaveProperty('prefer');
});
