import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import { rawReply } from '../../testing/raw-http.ts';
import { diskBlobs } from '../blobs/backends/disk-blobs.ts';
import type { Storage } from '../db/storage.ts';

// The limits that Node keeps run on its own time, so here they are short and the test waits for the server's end.
// A handshake gets more: on a busy machine an honest one takes a while, and is cut without a word.
const timeouts = { headersMs: 150, requestMs: 300, handshakeMs: 1_500, checkMs: 20 };

const folder = mkdtempSync(join(tmpdir(), 'moorage-slow-'));
let storage: Storage;
let app: TestApp;
/** Headers that let a request in on the API. */
let bearer = '';
let paths: { readonly upload: string; readonly json: string };
let opened: { readonly plain: number; readonly tls: number };
let identity: { readonly ca: string; readonly certificate: string; readonly key: string };

beforeAll(async () => {
  storage = await openRecords('sqlite::memory:');
  app = await buildApp(storage, { timeouts, blobs: await diskBlobs(folder) });
  const { api, devices } = app.service;
  const owner = await app.make.user();
  const platform = await app.make.platform();
  const at = { platform_id: platform.id, product_id: platform.edition.id, user_id: owner.id };
  const device = await app.make.device(at);
  const issued = await app.service.identity.issueDeviceCertificate(device.uuid);
  const change = { certificate_fingerprint: issued.fingerprint };
  await storage.db.updateTable('devices').set(change).where('id', '=', device.id).execute();
  identity = issued;
  bearer = `authorization: Bearer ${owner.token}\r\n`;
  paths = { upload: `/api/devices/${device.id}/files/a/b.bin`, json: `/api/devices/${device.id}/tag` };
  for (const listener of [api, devices]) await listener.listen({ host: '127.0.0.1', port: 0 });
  const portOf = (origin: string) => Number(new URL(origin).port);
  opened = { plain: portOf(api.listeningOrigin), tls: portOf(devices.listeningOrigin) };
});

afterAll(async () => {
  await app.service.close();
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const kinds = {
  plain: {
    server: (): Server => app.service.api.server,
    open: (): Socket => connect(opened.plain, '127.0.0.1'),
    ready: 'connect',
    head: (path: 'upload' | 'json', more: string) => `POST ${paths[path]} HTTP/1.1\r\nhost: x\r\n${bearer}${more}\r\n`,
  },
  tls: {
    server: (): Server => app.service.devices.server,
    open: (): Socket => {
      const { ca, certificate: cert, key } = identity;
      return connectTls({ port: opened.tls, host: '127.0.0.1', servername: 'localhost', ca, cert, key });
    },
    ready: 'secureConnect',
    head: (path: 'upload' | 'json', more: string) =>
      `POST ${path === 'upload' ? '/files/device/a/b.bin' : '/ota'} HTTP/1.1\r\nhost: x\r\n${more}\r\n`,
  },
} as const;

/** What was stored, on its way in, or recorded. */
async function leftBehind(): Promise<unknown> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const records = await storage.db.selectFrom('files').select('path').execute();
  return { files: files.map(({ name }) => name), records };
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

const nothing = { files: [], records: [] };
const lengthOf = (type: string) => `content-type: ${type}\r\ncontent-length: 1000\r\n`;
const form = 'multipart/form-data; boundary=b';
const partHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

// API-RULE-files-8
describe.each(['plain', 'tls'] as const)('on the %s listener', (kind) => {
  const { open, ready, head, server } = kinds[kind];
  const openings: readonly (readonly [string, () => string])[] = [
    ['says nothing', () => ''],
    ['sends half a line', () => 'POST /a'],
    ['sends half of its headers', () => 'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-le'],
    ['sends half of a JSON body', () => `${head('json', lengthOf('application/json'))}{"tag"`],
    ['sends half of a file', () => `${head('upload', lengthOf('text/plain'))}half`],
    ['sends half of a chunk', () => `${head('upload', 'transfer-encoding: chunked\r\n')}4\r\nha`],
    ['sends half of a form', () => `${head('upload', lengthOf(form))}${partHead}half`],
  ];

  async function begin(opening: string): Promise<Socket> {
    const socket = open().on('error', () => {});
    await once(socket, ready);
    if (opening !== '') socket.write(opening);
    return socket;
  }

  it.each(openings)('a client that %s is cut off, and leaves nothing', async (_, opening) => {
    const { status, text } = await rawReply(await begin(opening()));
    expect([status, text.includes('took too long')]).toEqual([400, true]);
    await expect.poll(() => connectionsOf(server())).toBe(0);
    await expect.poll(leftBehind).toEqual(nothing);
  });

  it('a client that sends a file a byte at a time is cut off, and leaves nothing', async () => {
    const socket = await begin(head('upload', lengthOf('text/plain')));
    const drip = setInterval(() => socket.writable && socket.write('x'), 10);
    const { status } = await rawReply(socket).finally(() => clearInterval(drip));
    expect(status).toBe(400);
    await expect.poll(() => connectionsOf(server())).toBe(0);
    await expect.poll(leftBehind).toEqual(nothing);
  });

  it.each(openings)('a client that %s and goes away leaves nothing', async (_, opening) => {
    const socket = await begin(opening());
    await new Promise(setImmediate);
    socket.destroy();
    await expect.poll(() => connectionsOf(server())).toBe(0);
    await expect.poll(leftBehind).toEqual(nothing);
  });

  it('a client that stops writing in the middle and still listens leaves nothing', async () => {
    const socket = await begin(`${head('upload', lengthOf('text/plain'))}half`);
    const reply = rawReply(socket);
    socket.end();
    await reply;
    await expect.poll(() => connectionsOf(server())).toBe(0);
    await expect.poll(leftBehind).toEqual(nothing);
  });

  it('a client that is refused and does not close its end is closed', async () => {
    const socket = await begin('POST /a');
    // It goes on sending what is not read, and is deaf to the end of the other side.
    socket.pause();
    await expect.poll(() => connectionsOf(server())).toBe(0);
    socket.destroy();
  });

  it('a client that takes its time and keeps within it is served', async () => {
    const opening = head('upload', 'content-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n');
    // On a busy machine it may take longer than it wanted to, and comes again.
    await expect
      .poll(async () => {
        const socket = await begin(opening);
        const reply = rawReply(socket);
        for (const letter of 'slow') {
          socket.write(letter);
          await new Promise(setImmediate);
        }
        return (await reply).status;
      })
      .toBe(200);
    await storage.db.deleteFrom('files').execute();
    for await (const { sha256 } of app.blobs.list()) await app.blobs.remove(sha256);
  });
});

describe('on the tls listener', () => {
  it.each([
    ['says nothing', Buffer.alloc(0)],
    ['sends half a handshake', Buffer.from('1603010100', 'hex')],
    ['does not speak TLS', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('a client that %s is cut off', async (_, bytes) => {
    const socket = connect(opened.tls, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    if (bytes.length > 0) socket.write(bytes);
    socket.resume();
    await once(socket, 'close');
    await expect.poll(() => connectionsOf(app.service.devices.server)).toBe(0);
  });
});
