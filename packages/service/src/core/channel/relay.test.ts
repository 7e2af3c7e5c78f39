import { VirtualClock } from '@moorage/base';
import { decode, encode } from '@msgpack/msgpack';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import { type Bus, LocalBus } from '../../engine/bus/bus.ts';
import { type Topic, topics } from '../../engine/bus/topics.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { deviceRates } from '../../engine/http/rates.ts';
import { eachDatabase, fixtures, testSettings } from '../../testing/index.ts';
import { ChannelHub } from './hub.ts';
import type { LineListener } from './line.ts';
import { channelOf } from './queries.ts';

/** The way of one node to a bus: what others publish waits while it is frozen, and comes when it goes on. */
class Way implements Bus {
  readonly kind = 'local';
  connected = true;
  readonly #bus: LocalBus;
  #held: (() => void)[] | undefined;

  constructor(bus: LocalBus) {
    this.#bus = bus;
  }

  freeze(): void {
    this.#held = [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  publish<M>(topic: Topic<M>, message: NoInfer<M>): void {
    this.#bus.publish(topic, message);
  }

  subscribe<M>(topic: Topic<M>, listener: (message: M) => void): () => void {
    return this.#bus.subscribe(topic, (message) => {
      if (this.#held) this.#held.push(() => listener(message));
      else listener(message);
    });
  }

  async close(): Promise<void> {}
}

// API-CHAN-processes
eachDatabase('commands for devices at other nodes', (open) => {
  let storage: Storage;
  let bus: LocalBus;
  let near: { hub: ChannelHub; way: Way; clock: VirtualClock };
  let far: typeof near;
  let device: Awaited<ReturnType<ReturnType<typeof fixtures>['device']>>;
  /** Commands that the device has run. */
  let ran: unknown[];

  function node(startMs: number): typeof near {
    const way = new Way(bus);
    const clock = new VirtualClock(startMs);
    const hub = new ChannelHub({
      keepAttributes: async () => {},
      rates: deviceRates(clock, testSettings),
      wakesPerMinute: async () => 60,
      stretch: () => 1,
      storage: { ...storage, bus: way },
      clock,
      log: Fastify().log,
      webhook: async () => ({ ok: false, error: 'none' }),
      live: { notify() {} },
    });
    return { hub, way, clock };
  }

  /** A line of the device, which runs commands and says so. */
  function connectTo(hub: ChannelHub, answers = true): void {
    const listener: LineListener = hub.attach(device, '127.0.0.1', {
      send(frame) {
        const { request, id, data } = decode(frame as Uint8Array) as Readonly<Record<string, unknown>>;
        if (request !== 'command') return;
        ran.push(data);
        if (answers) listener.frame(encode({ id, code: 0, data: `did ${data}` }));
      },
      ping: () => listener.heard(),
      close: () => {},
      cut: () => listener.closed(),
      waitingBytes: 0,
      pause() {},
      resume() {},
    });
  }

  /** On the clocks of both. */
  const pass = (ms: number) => Promise.all([near.clock.skip(ms), far.clock.skip(ms)]);
  const published = async (work: () => unknown) => {
    const requested = new Promise<void>((resolve) => {
      const leave = bus.subscribe(topics.channelRequest, () => {
        leave();
        resolve();
      });
    });
    work();
    await requested;
  };

  beforeEach(async () => {
    storage = await open();
    bus = new LocalBus();
    ran = [];
    // Clocks of nodes need not agree.
    near = node(1_700_000_000_000);
    far = node(1_600_000_000_000);
    const { clock } = near;
    const make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
    const platform = await make.platform();
    device = await make.device({ platform_id: platform.id, product_id: platform.product_id });
    await near.hub.lease.signOn();
  });
  afterEach(async () => {
    await near.hub.close();
    await far.hub.close();
  });

  async function connect(answers?: boolean): Promise<void> {
    connectTo(far.hub, answers);
    await expect.poll(() => channelOf(storage.db, device.id)).toBeDefined();
  }

  it('run there, once, however often the messages come', async () => {
    await connect();
    const again = bus.subscribe(topics.channelRequest, (message) => {
      again();
      bus.publish(topics.channelRequest, message);
    });
    expect(await near.hub.command(device.id, 'ver', 1_000)).toEqual({ ok: true, value: { code: 0, data: 'did ver' } });
    expect(ran).toEqual(['ver']);
  });

  it('of a release that answers no questions run at once', async () => {
    await connect();
    bus.publish(topics.channelRequest, { request: 'old', deviceId: device.id, data: 'ver', timeoutMs: 1_000 });
    expect(ran).toEqual(['ver']);
  });

  it('are not run by a node that was frozen until their callers had their answers', async () => {
    await connect();
    far.way.freeze();
    let answer: Promise<unknown> | undefined;
    await published(() => {
      answer = near.hub.command(device.id, 'ver', 1_000);
    });
    await pass(3_000);
    expect(await answer).toEqual({ ok: false, error: { reason: 'silent' } });
    far.way.thaw();
    expect(ran).toEqual([]);
  });

  it('are not run when the word to run them comes late, as on a bus that stands still at each step', async () => {
    await connect();
    near.way.freeze();
    far.way.freeze();
    let answer: Promise<unknown> | undefined;
    await published(() => {
      answer = near.hub.command(device.id, 'ver', 1_000);
    });
    await pass(1_000);
    far.way.thaw();
    await pass(1_000);
    // The question has come, and the word is on its way: the sender waits for another second.
    far.way.freeze();
    near.way.thaw();
    await pass(1_000);
    expect(await answer).toEqual({ ok: false, error: { reason: 'silent' } });
    far.way.thaw();
    expect(ran).toEqual([]);
  });

  it('are not run when the node that sent them was frozen itself', async () => {
    await connect();
    near.way.freeze();
    await published(() => near.hub.command(device.id, 'ver', 1_000));
    await pass(3_000);
    near.way.thaw();
    expect(ran).toEqual([]);
  });

  it.each([
    ['has not begun them: the device is away', [], 'offline'],
    ['may have run them: nobody knows', ['ver'], 'silent'],
  ])('end with a node that is gone and %s', async (_title, begun, reason) => {
    await connect(false);
    if (begun.length === 0) far.way.freeze();
    let outcome: unknown;
    await published(() => {
      void near.hub.command(device.id, 'ver', 3_600_000).then((ended) => {
        outcome = ended;
      });
    });
    expect(ran).toEqual(begun);
    // Time passes for the others alone.
    const ended = () => near.clock.advance(1_500).then(() => outcome);
    await expect.poll(ended).toEqual({ ok: false, error: { reason } });
    far.way.thaw();
    expect(ran).toEqual(begun);
  });

  it('are refused at once while the bus is away; those for own devices are run', async () => {
    await connect();
    [near.way.connected, far.way.connected] = [false, false];
    expect(await near.hub.command(device.id, 'ver', 1_000)).toEqual({ ok: false, error: { reason: 'apart' } });
    const action = { action: 'blink' };
    expect(await near.hub.send(device.id, action)).toEqual({ ok: false, error: { reason: 'apart' } });
    expect(ran).toEqual([]);
    expect(await far.hub.command(device.id, 'ver', 1_000)).toMatchObject({ ok: true });
    expect(await far.hub.send(device.id, action)).toEqual({ ok: true, value: undefined });
  });
});
