import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type WebRig, webRig, webWires } from '../testing/web-rig.ts';
import { methods } from './site.ts';

const handshake = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** Paths of each endpoint, those that lead nowhere too. */
const paths: Readonly<Record<keyof typeof methods, readonly string[]>> = {
  command: ['/command', '/command/set%20mdns.name%20taken', '/command/set%zz', 'http://localhost/command/ver'],
  log: ['/log'],
  stream: ['/stream'],
  file: ['/', '/plain.txt', '/webapp/app.js', '/none', '/%zz'],
};

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const body = '{"command":"set mdns.name taken"}';

/** Every way in: each endpoint by each of its methods, by one that it does not take and by a preflight, and the web socket. */
const entries: readonly Entry[] = [
  ...Object.entries(paths).flatMap(([kind, all]) =>
    [...methods[kind as keyof typeof methods], 'OPTIONS', 'DELETE'].flatMap((method) =>
      all.map((path) => ({ method, path, ...(method === 'POST' && { body }) })),
    ),
  ),
  { method: 'POST', path: '/command', body, headers: { 'content-type': 'text/plain' } },
  { method: 'POST', path: '/command', body, headers: { expect: '100-continue' } },
  ...methods.stream.map((method) => ({ method, path: '/stream', headers: handshake })),
];

const here = '127.0.0.1:8180';

/** What a browser sends for the user, or for a page of the module. */
const own: readonly Readonly<Record<string, string>>[] = [
  {},
  ...[here, 'localhost', 'LOCALHOST:8180', 'a.localhost', '[::1]:8180', '10.5.6.7', 'quay-7', 'Quay-7.local.'].map(
    (host) => ({ host }),
  ),
  // A module whose name another one has.
  { host: 'quay-7-2.local' },
  { host: here, 'sec-fetch-site': 'none' },
  { host: here, 'sec-fetch-site': 'same-origin', origin: `http://${here}`, referer: `http://${here}/` },
  { host: 'localhost', 'sec-fetch-site': 'same-origin', referer: 'http://localhost/webapp/index.html' },
  { host: 'quay-7.local', origin: 'http://quay-7.local' },
];

const evil = 'https://evil.example';

/** What it sends for a page from elsewhere that knows the module's address. */
const foreign: readonly Readonly<Record<string, string>>[] = [
  { origin: evil },
  { referer: `${evil}/page` },
  { origin: evil, 'sec-fetch-site': 'cross-site' },
  { host: here, origin: evil, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
  { host: here, origin: evil, 'sec-fetch-site': 'same-origin' },
];

/** The same without the name of the page. */
const unnamed: readonly Readonly<Record<string, string>>[] = [
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  // Another server of this machine.
  { host: here, origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-site' },
];

/** A name that has been made to lead here. */
const rebound: readonly Readonly<Record<string, string>>[] = [
  ...['evil.example:8180', 'localhost.evil.example', '127.0.0.1.evil.example', 'notlocalhost', 'quay-7.example'].map(
    (host) => ({ host, 'sec-fetch-site': 'same-origin' }),
  ),
  { host: 'evil.example', origin: 'http://evil.example' },
];

const rigOf = (wire: (typeof webWires)[number], variables: Record<string, string | number> = {}) =>
  webRig({
    wire,
    ip: '127.0.0.1',
    files: { 'plain.txt': 'plain' },
    variables: { 'mdns.name': 'quay-7', 'http.server.max_clients': 8, ...variables },
  });

/** Statuses of every entry, with these headers. */
async function walk(rig: WebRig, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const { method, path, ...entry } of entries) {
    const { status } = await rig.call(method, path, { ...entry, headers: { ...entry.headers, ...headers } });
    seen.push(`${method} ${path} ${status === 403 ? 'refused' : 'passed'}`);
  }
  return seen;
}

const all = (outcome: 'refused' | 'passed') => entries.map(({ method, path }) => `${method} ${path} ${outcome}`);

describe.each(webWires)('on a loopback address, over %s,', (wire) => {
  let rig: WebRig;
  beforeAll(async () => {
    rig = await rigOf(wire);
  });
  afterAll(() => rig.close());

  test.each([...foreign, ...unnamed, ...rebound])('every entry is refused with %j', async (headers) => {
    expect(await walk(rig, headers)).toEqual(all('refused'));
    expect(await rig.run('get mdns.name')).toBe('0 quay-7');
    expect(await rig.run('stream_list')).toBe('0 ! # Type  Info');
    const { text } = await rig.call('GET', '/log', { headers });
    expect(text).toMatch(/^Forbidden: [^\r]+\r\n$/);
  });

  test('a program that opens a web socket may call the module as it likes', async () => {
    const { status } = await rig.call('GET', '/stream', { headers: { ...handshake, host: 'gauge' } });
    expect(status).not.toBe(403);
    await rig.run('stream_close all');
  });

  test.each(own)('every entry goes on with %j', async (headers) => {
    expect(await walk(rig, headers)).toEqual(all('passed'));
    await rig.run('set mdns.name quay-7');
    await rig.run('stream_close all');
  });
});

test.each([
  [evil, [...own, ...foreign], [...unnamed, ...rebound]],
  ['*', [...own, ...foreign, ...unnamed], rebound],
  ['null', [...own, { origin: 'null' }], [...foreign, ...rebound]],
])('with http.server.cors_origin %s', async (origin, passed, refused) => {
  const rig = await rigOf('memory', { 'http.server.cors_origin': origin });
  for (const headers of passed) {
    expect(await walk(rig, headers), JSON.stringify(headers)).toEqual(all('passed'));
    await rig.run('stream_close all');
  }
  for (const headers of refused) expect(await walk(rig, headers), JSON.stringify(headers)).toEqual(all('refused'));
  await rig.close();
});

test('on an address of the network the rules of the specification are all', async () => {
  const rig = await webRig({ files: { 'plain.txt': 'plain' } });
  for (const headers of [...own, ...foreign, ...unnamed, ...rebound]) {
    expect(await walk(rig, headers), JSON.stringify(headers)).toEqual(all('passed'));
    await rig.run('stream_close all');
  }
  await rig.close();
});

test('web setup is reached by the names that lead its stations to it, and only there', async () => {
  const rig = await rigOf('memory', { 'http.server.enabled': 0 });
  await rig.run('setup web');
  await rig.clock.advance(0);
  const statusOf = async (host: string) => (await rig.call('GET', '/', { headers: { host } })).status;
  expect([await statusOf('setup.local'), await statusOf('module.local'), await statusOf('quay-7.local')]).toEqual([
    200, 403, 200,
  ]);
  await rig.close();
});
