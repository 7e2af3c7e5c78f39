import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import { rawConnection, rawReply, rawRequest } from '../../testing/raw-http.ts';

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
};

// No record is touched beyond the check of the device: one database is enough.
describe('the door of the message channel', () => {
  const lines: string[] = [];
  let app: TestApp;
  let port: number;
  let known: Record<string, string>;

  beforeAll(async () => {
    const logStream = { write: (line: string) => void lines.push(line) };
    app = await buildApp(await openRecords('sqlite::memory:'), {
      settings: { deviceInsecure: true },
      logLevel: 'error',
      logStream,
    });
    await app.service.devices.listen({ host: '127.0.0.1', port: 0 });
    // Safe: it listens on TCP.
    port = (app.service.devices.server.address() as AddressInfo).port;
    const token = newTokenValue();
    const platform = await app.make.platform();
    const device = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      provision_token_hash: hashSecret(token),
    });
    known = { 'x-device-uuid': device.uuid, 'x-device-token': token };
  });
  afterAll(async () => {
    await app.service.close();
    await app.storage.close();
  });

  // API-DEV-GET-stream, API-DEV-status
  it.each([
    ['without an upgrade', {}],
    ['with an upgrade to something else', { connection: 'Upgrade', upgrade: 'h2c' }],
  ])('answers a request %s with a refusal', async (_, headers) => {
    const all = { ...known, ...headers, connection: 'close' };
    const reply = await rawRequest(port, 'GET', '/stream', all);
    expect(reply).toMatchObject({ status: 400, text: expect.stringContaining('"code":"INVALID_REQUEST"') });
  });

  it('is nowhere else: an upgrade on another path is passed over, and its connection is not kept for ever', async () => {
    for (const [path, status] of [
      ['/info', 200],
      ['/nothing', 404],
    ] as const) {
      const socket = await rawConnection(port);
      const lines = Object.entries({ host: 'x', ...known, ...upgrade }).map(([name, value]) => `${name}: ${value}\r\n`);
      const reply = rawReply(socket);
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      await once(socket, 'data');
      // The connection is one of HTTP still: it takes another request, and ends when it is asked to.
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      const { status: first, text } = await reply;
      expect([first, text.match(/HTTP\/1.1 \d+/g)]).toEqual([status, [`HTTP/1.1 ${status}`, expect.any(String)]]);
    }
  });

  // API-CHAN-limits
  it('ends what breaks the protocol, and does not let it fill the log', async () => {
    const broken = [
      ['not masked', Buffer.of(0x81, 0x01, 0x78)],
      ['an unknown kind', Buffer.of(0x83, 0x80, 0, 0, 0, 0)],
      ['reserved bits', Buffer.of(0xf1, 0x80, 0, 0, 0, 0)],
      ['a continuation of nothing', Buffer.of(0x80, 0x80, 0, 0, 0, 0)],
      ['a text that is no UTF-8', Buffer.of(0x81, 0x81, 0, 0, 0, 0, 0xff)],
      ['a long ping', Buffer.from([0x89, 0xfe, 0, 126, 0, 0, 0, 0, ...Array(126).fill(0)])],
      ['an endless frame', Buffer.of(0x82, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0)],
    ] as const;
    for (const [what, bytes] of broken) {
      const socket = await rawConnection(port);
      const all = Object.entries({ host: 'x', ...known, ...upgrade }).map(([name, value]) => `${name}: ${value}\r\n`);
      const reply = rawReply(socket);
      socket.write(`GET /stream HTTP/1.1\r\n${all.join('')}\r\n`);
      await once(socket, 'data');
      socket.write(bytes);
      socket.once('data', () => socket.end());
      expect(await reply, what).toMatchObject({ status: 101 });
    }
    expect(lines).toEqual([]);
    const well = new WebSocket(`ws://127.0.0.1:${port}/stream`, { headers: known });
    await once(well, 'open');
    well.send('{"id":1,"request":"echo","data":1}');
    expect(JSON.parse(String((await once(well, 'message'))[0]))).toEqual({ id: 1, data: 1 });
    well.terminate();
  });
});
