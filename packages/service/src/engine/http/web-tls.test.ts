import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeAuthority, makeServerCertificate } from '../../core/certificates/certificates.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp, testStartMs } from '../../testing/index.ts';
import type { Storage } from '../db/storage.ts';

const authority = await makeAuthority(testStartMs);
const { certificate: ca } = authority;
const make = () => makeServerCertificate(authority, ['localhost'], testStartMs);

let storage: Storage;
let app: TestApp;
let url: string;
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  storage = await openRecords('sqlite::memory:');
  app = await buildApp(storage, { certificates: { api: await make() } });
  const { port } = new URL(await app.api.listen({ host: '127.0.0.1', port: 0 }));
  url = `https://localhost:${port}`;
});

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await app.service.close();
  await storage.close();
});

function browser(): ClientHttp2Session {
  const session = connect(url, { ca });
  session.on('error', () => {});
  sessions.push(session);
  return session;
}

type Headers = Record<string, string>;

/** One request over HTTP/2, to its end. */
async function call(session: ClientHttp2Session, method: string, path: string, headers: Headers = {}, body?: Buffer) {
  const stream = session.request({ ':method': method, ':path': path, ...headers });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end(body);
  const [answered] = await once(stream, 'response');
  if (!stream.readableEnded) await once(stream, 'end');
  return { status: Number(answered[':status']), headers: answered, body: Buffer.concat(chunks) };
}

const bearer = async (): Promise<Headers> => ({ authorization: `Bearer ${(await app.make.admin()).token}` });

it('browsers that speak HTTP/2 get it, others HTTP/1.1, and the limits are those of the server without TLS', async () => {
  const session = browser();
  const reply = await call(session, 'GET', '/healthz');
  expect([session.alpnProtocol, reply.status, JSON.parse(String(reply.body)).status]).toEqual(['h2', 200, 'ok']);
  const sent = httpsRequest(`${url}/healthz`, { ca, agent: false }).end();
  const [response] = await once(sent, 'response');
  expect([response.httpVersion, response.statusCode]).toEqual(['1.1', 200]);
  response.resume();
  const { headersTimeout, requestTimeout } = app.api.server;
  expect([headersTimeout, requestTimeout]).toEqual([60_000, 300_000]);
});

// API-RULE-headers-2
it('browsers that call it by a name are held to TLS, also by what lies ready', async () => {
  const session = browser();
  const platform = await app.make.platform();
  const { id } = await app.make.device({ platform_id: platform.id, product_id: platform.edition.id });
  const headers = await bearer();
  for (const path of ['/healthz', '/nowhere', `/api/devices/${id}`, `/api/devices/${id}`, '/api/events']) {
    const held = async (authority: string): Promise<unknown> => {
      const stream = session.request({ ':path': path, ':authority': authority, ...headers });
      const [answered] = await once(stream, 'response');
      stream.close();
      return answered['strict-transport-security'];
    };
    expect([path, await held('hub.example'), await held('localhost'), await held('127.0.0.1')]).toEqual([
      path,
      'max-age=31536000',
      undefined,
      undefined,
    ]);
  }
});

it('a session over TLS has a cookie for TLS alone, and the page of the service is known by its host', async () => {
  const { username } = await app.make.user();
  const session = browser();
  const headers = { 'content-type': 'application/json', 'x-console': '1', origin: url };
  const body = Buffer.from(JSON.stringify({ email: 'new@example.com', password: 'long enough by far' }));
  expect(username).not.toBe('new');
  const reply = await call(session, 'POST', '/api/auth/session/signup', headers, body);
  expect(reply.status).toBe(200);
  expect(String(reply.headers['set-cookie'])).toMatch(/; Secure$/);
  const foreign = await call(
    session,
    'POST',
    '/api/auth/session/signup',
    { ...headers, origin: 'https://evil.example' },
    body,
  );
  expect(foreign.status).toBe(403);
});

it('files go up and come down whole, ranges too, over one connection', async () => {
  const session = browser();
  const headers = await bearer();
  const platform = await app.make.platform();
  const path = `/api/products/${platform.product_id}/assets/big`;
  const bytes = randomBytes(3_000_000);
  expect((await call(session, 'POST', path, headers, bytes)).status).toBe(200);
  const [whole, part] = await Promise.all([
    call(session, 'GET', path, headers),
    call(session, 'GET', path, { ...headers, range: 'bytes=1000000-1999999' }),
  ]);
  expect(whole.body.equals(bytes)).toBe(true);
  expect([part.status, part.body.equals(bytes.subarray(1_000_000, 2_000_000))]).toEqual([206, true]);
  expect((await call(session, 'HEAD', path, headers)).headers['content-length']).toBe('3000000');
});

it('an upload of a stranger is refused unread, and the connection stays', async () => {
  const session = browser();
  const stream = session.request({ ':method': 'POST', ':path': '/api/products/x/assets/y' });
  stream.on('error', () => {});
  stream.write(Buffer.alloc(1_000_000));
  const [answered] = await once(stream, 'response');
  expect(answered[':status']).toBe(401);
  stream.close();
  expect((await call(session, 'GET', '/healthz')).status).toBe(200);
});

it('events share a connection with requests, and end with the service', async () => {
  const session = browser();
  const headers = await bearer();
  const stream = session.request({ ':path': '/api/events', ...headers });
  const [answered] = await once(stream, 'response');
  expect([answered[':status'], answered['content-encoding']]).toEqual([200, undefined]);
  const [first] = await once(stream, 'data');
  expect(String(first)).toContain('retry: ');
  expect((await call(session, 'GET', '/api/user', headers)).status).toBe(200);
  const ended = once(stream, 'close');
  await app.service.close();
  await ended;
});

it('another certificate is shown to connections that come after, and those before stay', async () => {
  const before = browser();
  expect((await call(before, 'GET', '/healthz')).status).toBe(200);
  const next = await make();
  app.service.useCertificates({ api: next });
  const after = browser();
  expect((await call(after, 'GET', '/healthz')).status).toBe(200);
  const shown = (session: ClientHttp2Session) =>
    (session.socket as unknown as { getPeerX509Certificate(): { toString(): string } }).getPeerX509Certificate();
  expect(shown(after).toString()).toBe(next.certificate);
  expect(shown(before).toString()).not.toBe(next.certificate);
  expect((await call(before, 'GET', '/healthz')).status).toBe(200);
});
