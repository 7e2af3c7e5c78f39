import { channelCloses } from '@moorage/api';
import { VirtualClock } from '@moorage/base';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import type { Storage } from '../db/storage.ts';
import { eachDatabase, fixtures } from '../testing/index.ts';
import { ChannelHub } from './hub.ts';
import { channelOf } from './queries.ts';

eachDatabase('hub of the message channel', (open) => {
  let storage: Storage;
  let clock: VirtualClock;
  let hub: ChannelHub;
  let device: Awaited<ReturnType<ReturnType<typeof fixtures>['device']>>;
  let closes: number[];
  const events: unknown[] = [];

  /** A line of the device; what comes over it is nothing but signs of life. */
  function connect(): void {
    const listener = hub.attach(device, '127.0.0.1', {
      send() {},
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
    events.length = 0;
    const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const platform = await make.platform();
    device = await make.device({ platform_id: platform.id, product_id: platform.product_id });
    hub = new ChannelHub({
      keepAttributes: async () => {},
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
    await clock.advance(15_000);
    await expect.poll(recorded).toMatchObject({ session: before?.session });
    expect(closes).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'online', data: { online: true } });
    expect(await logs()).toEqual(['device.online', 'device.online']);
  });

  it('leaves the records alone while they are right', async () => {
    const before = await recorded();
    for (let beat = 0; beat < 6; beat++) {
      await storage.db
        .insertInto('processes')
        .values({ id: `dead ${beat}`, seen_at: 0 })
        .execute();
      await clock.advance(15_000);
      // The database has its own time, and a beat that comes during another is left out: its last deed is awaited.
      const alive = () => storage.db.selectFrom('processes').select('seen_at').execute();
      await expect.poll(alive).toEqual([{ seen_at: clock.now() }]);
    }
    expect(await recorded()).toEqual(before);
    expect(await logs()).toEqual(['device.online']);
  });

  // API-CHAN-processes
  it('sends a device away that is connected elsewhere by now, although no message has said so', async () => {
    const elsewhere = { process_id: 'another', session: 'newer' };
    await storage.db
      .insertInto('processes')
      .values({ id: 'another', seen_at: clock.now() + 60_000 })
      .execute();
    await storage.db.updateTable('channels').set(elsewhere).where('device_id', '=', device.id).execute();
    await clock.advance(15_000);
    await expect.poll(() => closes).toEqual([channelCloses.replaced]);
    expect(await recorded()).toMatchObject(elsewhere);
    expect(hub.size).toBe(0);
  });

  it('records channels that open or close together in one transaction, each with its log, and none of a deleted device', async () => {
    const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
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
      clock,
      log,
      webhook: async () => ({ ok: false, error: 'none' }),
      live,
    });
    const closed: number[] = [];
    for (const one of fleet) {
      const listener = other.attach(one, '127.0.0.1', {
        send() {},
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
    for (let time = 0; time < 5; time++) connect();
    const online = async () => (await logs()).filter((type) => type === 'device.online').length;
    await expect.poll(online).toBe(6);
    const before = await recorded();
    // What is recorded of a channel that is not the one of this process would end it.
    for (let beat = 0; beat < 2; beat++) {
      await clock.advance(15_000);
      const seen = () => storage.db.selectFrom('processes').select('seen_at').execute();
      await expect.poll(seen).toEqual([{ seen_at: clock.now() }]);
    }
    expect(await recorded()).toEqual(before);
    expect(closes).toEqual(Array(5).fill(channelCloses.replaced));
    expect(hub.size).toBe(1);
  });
});
