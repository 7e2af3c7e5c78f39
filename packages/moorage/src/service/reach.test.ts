import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { VirtualClock } from '@moorage/base';
import { makeAuthority, makeServerCertificate } from '@moorage/service/core/certificates/certificates';
import { openRecords } from '@moorage/service/tables';
import { buildApp, testStartMs } from '@moorage/service/testing/build-app';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchReach, whyLinksFail, whyUnreached } from './reach.ts';

const other = await makeAuthority(testStartMs);
const foreign = await makeServerCertificate(other, ['localhost'], testStartMs);
let stop: () => Promise<void>;
let ca: string;
let address: string;
let own: (name: string) => Promise<string | undefined>;

beforeAll(async () => {
  const storage = await openRecords('sqlite::memory:');
  const { service } = await buildApp(storage);
  ca = service.identity.ca;
  const port = Number(new URL(await service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
  address = `https://localhost:${port}`;
  const fingerprint = new X509Certificate(foreign.certificate).fingerprint256;
  own = (host) => whyUnreached({ host, port: undefined }, { ca, port, fingerprint });
  stop = async () => {
    await service.close();
    await storage.close();
  };
});

afterAll(() => stop());

it.each(['localhost', '127.0.0.1'])('the listener is reached at %s, a name in its certificate', async (host) => {
  expect(await own(host)).toBeUndefined();
});

it('an address that its certificate lacks is not that of the listener', async () => {
  expect(await own('127.0.0.2')).toMatch(/^127\.0\.0\.2:\d+ refuses connections$/);
});

it('another server under the name is reported', async () => {
  const { service } = await buildApp(await openRecords('sqlite::memory:'));
  const port = Number(new URL(await service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
  const found = await whyUnreached({ host: 'localhost', port }, { ca, port: 1, fingerprint: undefined });
  expect(found).toBe(`localhost:${port} answers with the certificate of another server`);
  // Such a server may show what another authority has signed: then that is the one to be found.
  service.useCertificates({ devices: foreign });
  const { fingerprint256 } = new X509Certificate(foreign.certificate);
  expect(await whyUnreached({ host: 'localhost', port }, { ca, port: 1, fingerprint: fingerprint256 })).toBeUndefined();
  await service.close();
});

it('a server without TLS is reported', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const found = await whyUnreached({ host: '127.0.0.1', port }, { ca, port, fingerprint: undefined });
  expect(found).toBe(`127.0.0.1:${port} does not answer with TLS`);
  server.close();
});

it('a name that has no address is reported', async () => {
  expect(await own('nowhere.invalid')).toMatch(/^nowhere\.invalid:\d+ has no address( at the moment)?$/);
});

describe('links of an outside address', () => {
  it('lead to a device listener', async () => {
    expect(await whyLinksFail(address)).toBeUndefined();
  });

  it.each([
    ['another server', 404, 'not here', /answers as another server \(404\)$/],
    ['another that refuses', 401, '{"code":"UNAUTHORISED"}', /answers as another server \(401\)$/],
  ])('lead to %s', async (_, status, text, reason) => {
    const server = createHttpServer((__, reply) => {
      reply.writeHead(status).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const found = await whyLinksFail(`http://127.0.0.1:${port}`);
    await new Promise((resolve) => server.close(resolve));
    expect(found).toMatch(reason);
    expect(await whyLinksFail(`http://127.0.0.1:${port}`)).toMatch(/refuses connections$/);
  });
});

it('a warning goes when what it names is reached, and comes back when it is not', async () => {
  const clock = new VirtualClock(testStartMs);
  const warnings = new Map<string, string>();
  const said: string[] = [];
  const report = { warnings, warn: (text: string) => said.push(text), info: (text: string) => said.push(text) };
  let trouble: string | undefined = 'not there';
  let looks = 0;
  const look = async () => {
    looks += 1;
    return trouble;
  };
  const watch = watchReach('reach', look, report, clock);
  await watch.first;
  await clock.advance(30_000);
  expect([...warnings]).toEqual([['reach', 'not there']]);
  trouble = undefined;
  await clock.advance(30_000);
  expect(warnings.size).toBe(0);
  trouble = 'gone again';
  await clock.advance(299_000);
  expect({ looks, size: warnings.size }).toEqual({ looks: 3, size: 0 });
  await clock.advance(1_000);
  expect([...warnings]).toEqual([['reach', 'gone again']]);
  expect(said).toEqual(['not there', 'No more: not there', 'gone again']);
  watch.stop();
  await clock.advance(1_000_000);
  expect(looks).toBe(4);
});
