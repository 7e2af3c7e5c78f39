import { channelCloses } from '@moorage/api';
import { VirtualClock } from '@moorage/base';
import { decode } from '@msgpack/msgpack';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import { topics } from '../../engine/bus/topics.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { deviceRates } from '../../engine/http/rates.ts';
import { eachDatabase, fixtures, testSettings } from '../../testing/index.ts';
import { ChannelHub } from './hub.ts';
import type { LineListener } from './line.ts';
import { channelOf } from './queries.ts';

eachDatabase('hub of the message channel', (open) => {
  let storage: Storage;
  let clock: VirtualClock;
  let hub: ChannelHub;
  let make: ReturnType<typeof fixtures>;
  let device: Awaited<ReturnType<ReturnType<typeof fixtures>['device']>>;
  let closes: number[];
  let sent: Record<string, unknown>[];
  const events: unknown[] = [];

  /** A line of the device; what comes over it is nothing but signs of life. */
  function connect(): void {
    const listener: LineListener = hub.attach(device, '127.0.0.1', {
      send: (frame) => sent.push(decode(frame as Uint8Array) as Record<string, unknown>),
      ping: () => listener.heard(),
      close: (code) => closes.push(code),
      cut: () => listener.closed(),
      waitingBytes: 0,
      pause() {},
      resume() {},
    });
  }
  const recorded = () => channelOf(storage.db, device.id);
  const forget = () => storage.db.deleteFrom('channels').where('device_id', '=', device.id).execute();
  const logs = async () =>
    (await storage.db.selectFrom('logs').select('type').where('device_id', '=', device.id).execute()).map(
      ({ type }) => type,
    );

  beforeEach(async () => {
    storage = await open();
    clock = new VirtualClock(1_700_000_000_000);
    closes = [];
    sent = [];
    events.length = 0;
    make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const platform = await make.platform();
    device = await make.device({ platform_id: platform.id, product_id: platform.product_id });
    hub = new ChannelHub({
      keepAttributes: async () => {},
      rates: deviceRates(clock, testSettings),
      wakesPerMinute: async () => 60,
      stretch: () => 1,
      storage,
      clock,
      log: Fastify().log,
      webhook: async () => ({ ok: false, error: 'none' }),
      live: { notify: (_id, event) => events.push(event) },
    });
    connect();
    await expect.poll(recorded).toBeDefined();
  });
  afterEach(() => hub.close());

  // API-CHAN-online
  it('records a device again that others took for gone while this process stood still', async () => {
    const before = await recorded();
    await forget();
    await clock.advance(10_000);
    await expect.poll(recorded).toMatchObject({ session: before?.session });
    expect(closes).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'online', data: { online: true } });
    expect(await logs()).toEqual(['device.online', 'device.online']);
  });

  it('leaves the records alone while they are right', async () => {
    const before = await recorded();
    const processes = () => storage.db.selectFrom('processes').select('id').execute();
    for (let round = 0; round < 6; round++) {
      await storage.db
        .insertInto('processes')
        .values({ id: `dead ${round}`, seen_at: 0 })
        .execute();
      // The database has its own time, and a look that is due during another is left out.
      await expect.poll(async () => clock.advance(1_500).then(processes)).toEqual([{ id: before?.process_id }]);
    }
    expect(await recorded()).toEqual(before);
    expect(await logs()).toEqual(['device.online']);
  });

  // API-CHAN-processes
  it('sends a device away that is connected elsewhere by now, although no message has said so', async () => {
    const elsewhere = { process_id: 'another', session: 'newer' };
    await storage.db.insertInto('processes').values({ id: 'another', seen_at: clock.now() }).execute();
    await storage.db.updateTable('channels').set(elsewhere).where('device_id', '=', device.id).execute();
    storage.bus.publish(topics.missed, null);
    await expect.poll(() => closes).toEqual([channelCloses.replaced]);
    expect(await recorded()).toMatchObject(elsewhere);
    expect(hub.size).toBe(0);
  });

  it('records channels that open or close together in one transaction, each with its log, and none of a deleted device', async () => {
    make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const { platform_id, product_id } = device;
    const fleet: (typeof device)[] = [];
    for (let number = 0; number < 40; number++) fleet.push(await make.device({ platform_id, product_id }));
    const [gone] = fleet;
    await storage.db
      .deleteFrom('devices')
      .where('id', '=', gone?.id ?? '')
      .execute();
    let transactions = 0;
    const counting: Storage = {
      ...storage,
      transaction: (work) => {
        transactions += 1;
        return storage.transaction(work);
      },
    };
    const log = Fastify().log;
    const live = { notify: () => {} };
    const other = new ChannelHub({
      keepAttributes: async () => {},
      storage: counting,
      rates: deviceRates(clock, testSettings),
      wakesPerMinute: async () => 60,
      stretch: () => 1,
      clock,
      log,
      webhook: async () => ({ ok: false, error: 'none' }),
      live,
    });
    const closed: number[] = [];
    for (const one of fleet) {
      const listener = other.attach(one, '127.0.0.1', {
        send: (frame) => sent.push(decode(frame as Uint8Array) as Record<string, unknown>),
        ping() {},
        close: (code) => closed.push(code),
        cut: () => listener.closed(),
        waitingBytes: 0,
        pause() {},
        resume() {},
      });
    }
    const channels = async () => (await storage.db.selectFrom('channels').select('device_id').execute()).length;
    await expect.poll(channels).toBe(40);
    await expect.poll(() => closed).toEqual([channelCloses.refused]);
    expect(transactions).toBeLessThan(4);
    transactions = 0;
    await other.close();
    expect(await channels()).toBe(1);
    expect(transactions).toBeLessThan(4);
    const rows = await storage.db.selectFrom('logs').select(['type', 'device_id']).execute();
    const ofFleet = rows.filter(({ device_id }) => fleet.some(({ id }) => id === device_id)).map(({ type }) => type);
    expect(ofFleet.sort()).toEqual([...Array(39).fill('device.offline'), ...Array(39).fill('device.online')]);
  });

  it('has the last of many channels of one device recorded, when they come faster than they are written', async () => {
    for (let time = 0; time < 4; time++) connect();
    const online = async () => (await logs()).filter((type) => type === 'device.online').length;
    await expect.poll(online).toBe(5);
    const before = await recorded();
    // What is recorded of a channel that is not the one of this process would end it.
    await hub.compare();
    expect(await recorded()).toEqual(before);
    expect(closes).toEqual(Array(4).fill(channelCloses.replaced));
    expect(hub.size).toBe(1);
  });

  describe('finds out without any message', () => {
    const change = (values: object) =>
      storage.db.updateTable('devices').set(values).where('id', '=', device.id).execute();
    const control = (value: unknown, at: number) => {
      const row = { value: JSON.stringify(value), at, source: 'user' as const, delivered: 0 as const };
      return storage.db
        .insertInto('controls')
        .values({ device_id: device.id, name: 'light', ...row })
        .onConflict((conflict) => conflict.columns(['device_id', 'name']).doUpdateSet(row))
        .execute();
    };

    // API-DEV-revoked
    it('that a device is blocked', async () => {
      await change({ state: 'disabled' });
      await hub.compare();
      expect(closes).toEqual([channelCloses.refused]);
      await expect.poll(recorded).toBeUndefined();
    });

    it('by itself within 10 s', async () => {
      await change({ state: 'disabled' });
      await clock.advance(10_000);
      await expect.poll(() => closes).toEqual([channelCloses.refused]);
    });

    it('that a control is due, and sends each value once', async () => {
      await control(true, 1_000);
      await hub.compare();
      await hub.compare();
      const action = (v: unknown) => ({ action: 'control', controls: [{ n: 'light', v, t: 1 }] });
      expect(sent).toEqual([action(true)]);
      // Within the same second, and by a message that arrived.
      await control(false, 1_500);
      storage.bus.publish(topics.channelAction, { deviceId: device.id, action: action(false) });
      await hub.compare();
      expect(sent).toEqual([action(true), action(false)]);
      await storage.db.updateTable('controls').set({ delivered: 1 }).execute();
      await control('reported', 2_000);
      await storage.db.updateTable('controls').set({ source: 'device' }).execute();
      await hub.compare();
      expect(sent).toHaveLength(2);
    });

    it('that a message is due', async () => {
      const message = { device_id: device.id, headers: '{}', data: '', length: 0, created_at: 0 };
      for (const id of ['one', 'two']) {
        await storage.db
          .insertInto('messages')
          .values({ ...message, id, box: 'to-device' })
          .execute();
      }
      await storage.db
        .insertInto('messages')
        .values({ ...message, id: 'own', box: 'from-device' })
        .execute();
      await hub.compare();
      await hub.compare();
      expect(sent).toEqual([{ action: 'message', message_id: 'two' }]);
    });

    // API-CHAN-wake
    it('that there may be an update', async () => {
      await hub.compare();
      expect(sent).toEqual([]);
      await change({ tag: 'beta' });
      await hub.compare();
      await hub.compare();
      expect(sent).toEqual([{ action: 'ota' }]);
      await change({ tag: 'alpha' });
      storage.bus.publish(topics.otaDue, { deviceId: device.id });
      await hub.compare();
      expect(sent).toHaveLength(2);
    });
  });

  // API-CHAN-wake
  it('wakes the devices of a product at its pace, a part each second', async () => {
    await hub.compare();
    const others = await Promise.all(
      [1, 2].map(() => make.device({ platform_id: device.platform_id, product_id: device.product_id })),
    );
    let woken = 0;
    for (const other of others) {
      hub.attach(other, '10.0.0.2', {
        send: () => void woken++,
        ping() {},
        close() {},
        cut() {},
        waitingBytes: 0,
        pause() {},
        resume() {},
      });
    }
    await expect.poll(() => hub.size).toBe(3);
    const all = () => sent.length + woken;
    storage.bus.publish(topics.otaDue, { productId: device.product_id });
    await expect.poll(all).toBe(1);
    await clock.advance(999);
    expect(all()).toBe(1);
    await clock.advance(1);
    expect(all()).toBe(2);
    await clock.advance(1_000);
    expect(all()).toBe(3);
    await clock.advance(5_000);
    expect(all()).toBe(3);
  });

  // API-CHAN-online
  it('calls devices of a process that is gone offline, and tells who waits for one of them', async () => {
    const lost = await make.device({ platform_id: device.platform_id, product_id: device.product_id });
    await storage.db.insertInto('processes').values({ id: 'killed', seen_at: 0 }).execute();
    const row = { device_id: lost.id, process_id: 'killed', session: 's', address: '', connected_at: 0 };
    await storage.db.insertInto('channels').values(row).execute();
    const answer = hub.command(lost.id, 'ver', 3_600_000);
    const channel = async () => clock.advance(1_500).then(() => channelOf(storage.db, lost.id));
    await expect.poll(channel).toBeUndefined();
    expect(await answer).toEqual({ ok: false, error: { reason: 'offline' } });
    expect(events.at(-1)).toMatchObject({ type: 'online', data: { online: false } });
    expect(await recorded()).toBeDefined();
  });

  it('takes no more devices when it stops, and sends those it has away in turn', async () => {
    const { platform_id, product_id } = device;
    for (let number = 0; number < 250; number++) {
      device = await make.device({ platform_id, product_id });
      connect();
    }
    const channels = async () => (await storage.db.selectFrom('channels').select('device_id').execute()).length;
    await expect.poll(channels).toBe(251);
    const closing = hub.close();
    expect(closes).toHaveLength(100);
    connect();
    expect(closes).toHaveLength(101);
    await clock.advance(2_000);
    await closing;
    expect(closes).toEqual(Array(252).fill(channelCloses.restarting));
    // API-CHAN-come-back
    const times = sent.map(({ action, after_ms: afterMs }) => (action === 'come_back' ? Number(afterMs) : Number.NaN));
    expect(times).toHaveLength(252);
    expect(times.every((afterMs) => afterMs >= 1_000 && afterMs <= 2_100)).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(100);
    expect(await channels()).toBe(0);
    expect(await storage.db.selectFrom('processes').selectAll().execute()).toEqual([]);
  });
});
