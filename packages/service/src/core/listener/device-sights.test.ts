import { once } from 'node:events';
import { channelCloses } from '@moorage/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { topics } from '../../engine/bus/topics.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import { type TlsDevices, tlsDevices } from '../../testing/tls-devices.ts';

// The records cannot tell the difference: what is tested is that nobody waits for them.
describe('a device whose channel was open before', () => {
  let storage: Storage;
  let app: TestApp;
  let devices: TlsDevices;
  let device: Awaited<ReturnType<TlsDevices['deviceOf']>>;
  const sockets: WebSocket[] = [];
  /** The records say nothing about devices that call, until the test ends. */
  let isDeaf: boolean;
  let end: PromiseWithResolvers<void>;
  let reads: number;

  beforeEach(async () => {
    [isDeaf, reads, end] = [false, 0, Promise.withResolvers()];
    const opened = await openRecords('sqlite::memory:');
    const { hot } = opened;
    storage = {
      ...opened,
      db: opened.db,
      hot: {
        ...hot,
        deviceByUuid: (uuid) => {
          reads++;
          return isDeaf ? end.promise.then(() => hot.deviceByUuid(uuid)) : hot.deviceByUuid(uuid);
        },
        touchDevice: (...mark) =>
          isDeaf ? end.promise.then(() => hot.touchDevice(...mark)) : hot.touchDevice(...mark),
      },
    };
    app = await buildApp(storage);
    devices = await tlsDevices(app);
    device = await devices.deviceOf();
  });
  afterEach(async () => {
    end.resolve();
    for (const socket of sockets.splice(0)) socket.terminate();
    devices.close();
    await app.service.close();
    await storage.close();
  });

  async function open(): Promise<WebSocket> {
    const { certificate: cert, key } = device.issued;
    const socket = new WebSocket(`wss://127.0.0.1:${devices.port}/stream`, { ca: app.service.identity.ca, cert, key });
    sockets.push(socket);
    await once(socket, 'open');
    return socket;
  }
  const isRecorded = async () => (await storage.db.selectFrom('channels').selectAll().execute()).length === 1;

  it('opens the next one without a look at the records, until a message says that it is another', async () => {
    await open();
    await open();
    expect(reads).toBe(1);
    isDeaf = true;
    const socket = await open();
    isDeaf = false;
    storage.bus.publish(topics.deviceMoved, { deviceId: device.row.id, productId: device.row.product_id });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    await open();
    expect(reads).toBe(2);
    storage.bus.publish(topics.missed, null);
    await open();
    expect(reads).toBe(3);
  });

  // API-DEV-revoked
  it('is sent away as soon as its channel is noted, when it was disabled and no message has said so', async () => {
    await open();
    await expect.poll(isRecorded).toBe(true);
    await storage.db.updateTable('devices').set({ state: 'disabled' }).execute();
    const [code] = await once(await open(), 'close');
    expect([code, reads]).toEqual([channelCloses.refused, 1]);
  });
});
