import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAuthority, makeServerCertificate } from '../../core/certificates/certificates.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp, testStartMs } from '../../testing/index.ts';
import type { Storage } from '../db/storage.ts';

const publicAuthority = await makeAuthority(testStartMs);
const make = () => makeServerCertificate(publicAuthority, ['hub.example'], testStartMs);

let storage: Storage;
let app: TestApp;
let port: number;
const open: TLSSocket[] = [];

beforeAll(async () => {
  storage = await openRecords('sqlite::memory:');
  app = await buildApp(storage, { settings: { deviceNames: [{ host: 'hub.example', port: undefined }] } });
  app.service.useCertificates({ devices: await make() });
  port = Number(new URL(await app.service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
});

afterAll(async () => {
  for (const socket of open) socket.destroy();
  await app.service.close();
  await storage.close();
});

/** A connection of a device that trusts this authority alone. */
async function dial(ca: string, servername = 'hub.example', credentials = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca, rejectUnauthorized: false, ...credentials });
  open.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

const status = async (socket: TLSSocket): Promise<string> => {
  socket.write('GET /info HTTP/1.1\r\nhost: hub.example\r\n\r\n');
  const [bytes] = await once(socket, 'data');
  return String(bytes).slice(9, 12);
};

it('a device that trusts the authority of the own certificate finds it under a name in it', async () => {
  expect((await dial(publicAuthority.certificate)).authorized).toBe(true);
});

it('a device that trusts the authority of the service finds that under every other name', async () => {
  const { ca } = app.service.identity;
  expect((await dial(ca, 'localhost')).authorized).toBe(true);
  expect((await dial(ca)).authorized).toBe(false);
});

it('a device shows its certificate under either name', async () => {
  const platform = await app.make.platform();
  const uuid = 'ab'.repeat(20);
  const issued = await app.service.identity.issueDeviceCertificate(uuid);
  const at = { platform_id: platform.id, product_id: platform.product_id };
  await app.make.device({ ...at, uuid, state: 'active', certificate_fingerprint: issued.fingerprint });
  const credentials = { cert: issued.certificate, key: issued.key };
  for (const name of ['hub.example', 'localhost'])
    expect(await status(await dial(publicAuthority.certificate, name, credentials)), name).toBe('200');
});

it('another own certificate is shown to connections that come after, and those before stay', async () => {
  const before = await dial(publicAuthority.certificate);
  const next = await make();
  app.service.useCertificates({ devices: next });
  const after = await dial(publicAuthority.certificate);
  expect(after.getPeerX509Certificate()?.toString()).toBe(next.certificate);
  expect(before.getPeerX509Certificate()?.toString()).not.toBe(next.certificate);
  expect(await status(before)).toBe('403');
});

it('the names of the listener stand in /readyz', async () => {
  const { device_names } = (await app.api.inject({ url: '/readyz' })).json();
  expect(device_names).toEqual(['localhost', '127.0.0.1', '::1', 'hub.example']);
});
