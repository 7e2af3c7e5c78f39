import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { channelCloses, type ServiceAction } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { decode } from '@msgpack/msgpack';
import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { unsentLimit } from '../../engine/bus/bus.ts';
import { topics } from '../../engine/bus/topics.ts';
import { busApplication } from '../../engine/db/dialect/postgres/bus.ts';
import type { StorageOptions } from '../../engine/db/open.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, databaseSource, type TestApp } from '../../testing/index.ts';
import { NatsServer, natsMissing } from '../../testing/nats-server.ts';

const postgres = databaseSource('postgres');
const nats = new NatsServer();

/** Cuts the connections of both nodes to the bus, or holds up what goes over them, while something is done. */
type During = (node: TestApp, work: () => Promise<void>) => Promise<void>;

/** More messages than a node keeps that cannot send them: what comes after them is lost. */
async function backUp({ storage }: TestApp): Promise<void> {
  const message = { node: 'none', kind: 'none', counts: [], isAll: false };
  for (let sent = 0; sent <= unsentLimit; sent++) storage.bus.publish(topics.countsChanged, message);
}

/** While others wait for the table of messages, requests go on. */
async function heldUp(node: TestApp, work: () => Promise<void>): Promise<void> {
  const trx = await node.storage.background.db.startTransaction().execute();
  await sql`lock table bus_messages, bus_position in access exclusive mode`.execute(trx);
  await backUp(node);
  await work();
  await trx.commit().execute();
}

const rows: readonly {
  readonly bus: string;
  readonly missing: string;
  readonly options: () => Promise<StorageOptions>;
  readonly cutDuring: During;
}[] = [
  {
    bus: 'PostgreSQL',
    missing: '',
    options: async () => ({}),
    cutDuring: async ({ storage }, work) => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = ${busApplication} and datname = current_database()`.execute(storage.db);
      await work();
    },
  },
  {
    bus: 'PostgreSQL, which holds up messages,',
    missing: '',
    options: async () => ({}),
    cutDuring: (node, work) => heldUp(node, work),
  },
  {
    bus: 'NATS, which stands still,',
    missing: natsMissing,
    options: async () => {
      await nats.start();
      return { nats: { url: nats.url } };
    },
    cutDuring: async (node, work) => {
      nats.freeze();
      await backUp(node);
      await work();
      nats.thaw();
    },
  },
  {
    bus: 'NATS',
    missing: natsMissing,
    options: async () => {
      await nats.start();
      return { nats: { url: nats.url } };
    },
    cutDuring: async (_node, work) => {
      await nats.stop();
      await work();
      await nats.start();
    },
  },
];

describe.each(rows)('a cut of the bus on $bus', ({ missing, options, cutDuring }) => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(async () => {
    await nats.stop();
    await postgres.remove();
  });

  async function nodeOn(address: string, opening: StorageOptions): Promise<TestApp> {
    const storage = await openRecords(address, opening);
    const app = await buildApp(storage, { settings: { deviceInsecure: true } });
    closing.push(async () => {
      await app.service.close();
      await storage.close();
    });
    return app;
  }

  // API-DEV-revoked, API-CHAN-processes
  it.skipIf(missing !== '')(
    `loses nothing: a device blocked and a control set meanwhile on another node${missing && ` (skipped: ${missing})`}`,
    async () => {
      const [address, opening] = [await postgres.make(), await options()];
      const [near, far] = [await nodeOn(address, opening), await nodeOn(address, opening)];
      await near.service.devices.listen({ host: '127.0.0.1', port: 0 });
      const { port } = near.service.devices.server.address() as AddressInfo;
      const owner = await near.make.user();
      const platform = await near.make.platform();

      async function connect() {
        const token = newTokenValue();
        const device = await near.make.device({
          platform_id: platform.id,
          product_id: platform.product_id,
          user_id: owner.id,
          provision_token_hash: hashSecret(token),
          provision_status: 'pending',
        });
        const headers = { 'x-device-uuid': device.uuid, 'x-device-token': token };
        const socket = new WebSocket(`ws://127.0.0.1:${port}/stream`, { headers });
        const heard: unknown[] = [];
        socket.on('message', (data: Buffer) => heard.push(decode(data))).on('error', () => {});
        const closed = once(socket, 'close');
        await once(socket, 'open');
        closing.push(async () => socket.terminate());
        const params = { params: { device_id: device.id } };
        const online = async () => unwrap(await far.client.as(owner.token).call('channel.status', params)).value.online;
        await expect.poll(online).toBe(true);
        return { device, heard, closed };
      }

      const [blocked, controlled] = [await connect(), await connect()];
      const action: ServiceAction = { action: 'control', controls: [{ n: 'light', v: true, t: 1 }] };
      await cutDuring(far, async () => {
        const call = { params: { device_id: blocked.device.id }, body: { state: 'disabled' as const } };
        unwrap(await far.client.as(owner.token).call('devices.setState', call));
        const row = { device_id: controlled.device.id, name: 'light', value: 'true', at: 1_000 };
        await far.storage.db
          .insertInto('controls')
          .values({ ...row, source: 'user', delivered: 0 })
          .execute();
        far.storage.bus.publish(topics.channelAction, { deviceId: controlled.device.id, action });
      });
      const [code] = await blocked.closed;
      expect(code).toBe(channelCloses.refused);
      // A message may come twice; it may not be missing.
      await expect.poll(() => controlled.heard).toContainEqual(action);
    },
  );
});
