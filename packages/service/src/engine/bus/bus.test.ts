import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@moorage/base';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIdentity } from '../../core/certificates/identity.ts';
import { openRecords } from '../../tables.ts';
import { databaseSource } from '../../testing/index.ts';
import { natsCredentials } from '../../testing/nats-credentials.ts';
import { NatsServer, natsMissing } from '../../testing/nats-server.ts';
import { PgBouncer, pgBouncerMissing } from '../../testing/pgbouncer.ts';
import { busApplication } from '../db/dialect/postgres/bus.ts';
import type { Storage } from '../db/storage.ts';
import type { Bus } from './bus.ts';
import { NatsBus, type NatsOptions } from './nats.ts';
import { type Topic, topic, topics } from './topics.ts';

// Topics of this test alone.
const own = {
  wake: topic<object>('wake'),
  wanted: topic<number>('wanted'),
  unwanted: topic<number>('unwanted'),
  long: topic<object>('long'),
  left: topic<number>('left'),
  again: topic<number>('again'),
};

function heardBy<M>(bus: Bus, topic: Topic<M>): unknown[] {
  const heard: unknown[] = [];
  bus.subscribe(topic, (message) => heard.push(message));
  return heard;
}

/** Two nodes on one database. */
interface Nodes {
  readonly near: Storage;
  readonly far: Storage;
}

interface Row {
  readonly kind: Bus['kind'];
  /** Why it cannot be tried here; empty when it can. */
  readonly missing?: string;
  /** Prepares what the nodes meet at. */
  readonly begin?: () => Promise<void>;
  readonly end?: () => Promise<void>;
  readonly open: () => Promise<Nodes>;
  /** Cuts the connections of all nodes; there is none to cut in one process. */
  readonly cut?: (nodes: Nodes) => Promise<void>;
}

const sqlite = databaseSource('sqlite');
const postgres = databaseSource('postgres');
const nats = new NatsServer();
const pgBouncer = new PgBouncer();
/** Address of a database behind it. */
let pooled: string;

const two = async (address: string, options?: { readonly nats: NatsOptions }): Promise<Nodes> => ({
  near: await openRecords(address, options),
  far: await openRecords(address, options),
});
async function cutPostgres({ near }: Nodes): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${busApplication} and datname = current_database()`.execute(near.db);
}

const rows: readonly (Row & { readonly title: string })[] = [
  {
    title: 'in one process',
    kind: 'local',
    open: async () => {
      const near = await openRecords(await sqlite.make());
      return { near, far: near };
    },
  },
  { title: 'over PostgreSQL', kind: 'postgres', open: async () => two(await postgres.make()), cut: cutPostgres },
  {
    title: 'over PostgreSQL behind PgBouncer, which hands on no notifications',
    kind: 'postgres',
    missing: pgBouncerMissing,
    begin: async () => {
      pooled = await pgBouncer.open(await postgres.make());
    },
    end: () => pgBouncer.remove(),
    open: () => two(pooled),
    cut: () => pgBouncer.restart(),
  },
  {
    title: 'over NATS',
    kind: 'nats',
    missing: natsMissing,
    begin: () => nats.start(),
    end: () => nats.stop(),
    open: async () => two(await postgres.make(), { nats: { url: nats.url } }),
    cut: async () => {
      await nats.stop();
      await nats.start();
    },
  },
];

afterAll(async () => {
  await sqlite.remove();
  await postgres.remove();
});

// API-CHAN-processes
describe.each(rows)('bus $title', ({ kind, missing = '', begin, end, open, cut }) => {
  describe.skipIf(missing !== '')(missing && `(skipped: ${missing})`, () => {
    let near: Bus;
    let far: Bus;
    let nodes: Nodes;

    beforeAll(() => begin?.());
    afterAll(() => end?.());
    beforeEach(async () => {
      nodes = await open();
      [near, far] = [nodes.near.bus, nodes.far.bus];
    });
    afterEach(async () => {
      await nodes.near.close();
      if (nodes.far !== nodes.near) await nodes.far.close();
    });

    it('says what it is, and that it is connected', () => {
      expect([near.kind, near.connected, far.connected]).toEqual([kind, true, true]);
    });

    it('tells the own process at once, and every other', async () => {
      const [here, there] = [heardBy(near, own.wake), heardBy(far, own.wake)];
      near.publish(own.wake, { id: 7 });
      expect(here).toEqual([{ id: 7 }]);
      await expect.poll(() => there).toEqual([{ id: 7 }]);
      expect(here).toHaveLength(1);
    });

    it('keeps topics apart, and the order, of many at once and in both directions', async () => {
      const count = 2_000;
      const [wanted, back, unwanted] = [heardBy(far, own.wanted), heardBy(near, own.again), heardBy(far, own.unwanted)];
      const all = Array.from({ length: count }, (_, number) => number);
      for (const number of all) {
        near.publish(own.wanted, number);
        far.publish(own.again, number);
      }
      await expect.poll(() => wanted).toEqual(all);
      await expect.poll(() => back).toEqual(all);
      expect(unwanted).toEqual([]);
    });

    it('carries long messages whole, whatever characters they have', async () => {
      const heard = heardBy(far, own.long);
      const message = { text: 'Ünïcode \u{1f6f3} \u0000'.repeat(9_000) };
      near.publish(own.long, message);
      await expect.poll(() => heard).toEqual([message]);
    });

    it('says nothing to a listener that has left', async () => {
      const heard: unknown[] = [];
      const leave = far.subscribe(own.left, (message) => heard.push(message));
      const after = heardBy(far, own.left);
      leave();
      near.publish(own.left, 1);
      await expect.poll(() => after).toEqual([1]);
      expect(heard).toEqual([]);
    });

    it.skipIf(!cut)('finds its way back after a cut, and tells every node that messages may be missing', async () => {
      const missed = [heardBy(near, topics.missed), heardBy(far, topics.missed)];
      const heard = heardBy(far, own.again);
      await cut?.(nodes);
      await expect.poll(() => missed.every(({ length }) => length > 0)).toBe(true);
      await expect.poll(() => [near.connected, far.connected]).toEqual([true, true]);
      near.publish(own.again, 1);
      await expect.poll(() => heard).toEqual([1]);
    });
  });
});

describe.skipIf(natsMissing !== '')(`NATS${natsMissing && ` (skipped: ${natsMissing})`}`, () => {
  let folder: string;
  const closing: { close(): Promise<void> }[] = [];
  const errors: string[] = [];

  beforeEach(() => {
    errors.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'moorage-nats-'));
  });
  afterEach(async () => {
    for (const one of closing.splice(0).toReversed()) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  async function serve(...args: string[]): Promise<NatsServer> {
    const server = new NatsServer(args);
    closing.push({ close: () => server.stop() });
    await server.start();
    return server;
  }
  async function busOn(options: NatsOptions): Promise<NatsBus> {
    const bus = new NatsBus(options, realClock, ({ message }) => errors.push(message));
    closing.push(bus);
    await bus.open();
    return bus;
  }
  async function expectTalk(options: NatsOptions): Promise<void> {
    const [one, two] = [await busOn(options), await busOn(options)];
    const heard = heardBy(two, own.wanted);
    one.publish(own.wanted, 1);
    await expect.poll(() => heard).toEqual([1]);
    expect(errors).toEqual([]);
  }

  it('takes a user and a password', async () => {
    const { host } = await serve('--user', 'node', '--pass', 'a b/c');
    await expectTalk({ url: `nats://node:${encodeURIComponent('a b/c')}@${host}` });
    expect((await busOn({ url: `nats://${host}` })).connected).toBe(false);
    expect(errors.join()).toMatch(/authorization/i);
  });

  it('takes credentials files', async () => {
    const { config, credentials } = natsCredentials();
    const { url } = await serve('-c', write('server.conf', config));
    await expectTalk({ url, credentials: write('user.creds', credentials) });
  });

  it('speaks TLS, and only with servers whose certificate is right', async () => {
    const storage = await openRecords('sqlite::memory:');
    closing.push(storage);
    const identity = await openIdentity(storage, realClock, 1, ['localhost']);
    const { certificate, key } = identity.server;
    const files = ['--tlscert', write('server.pem', certificate), '--tlskey', write('server.key', key)];
    const { host } = await serve('--tls', ...files);
    const url = `tls://localhost:${host.split(':')[1]}`;
    await expectTalk({ url, authority: write('ca.pem', identity.ca) });
    expect((await busOn({ url })).connected).toBe(false);
    expect(errors).toHaveLength(1);
  });

  it('keeps installations apart by the prefix in the address', async () => {
    const { url } = await serve();
    const [one, two, other] = [
      await busOn({ url: `${url}/a` }),
      await busOn({ url: `${url}/a` }),
      await busOn({ url }),
    ];
    const [heard, unheard] = [heardBy(two, own.wanted), heardBy(other, own.wanted)];
    one.publish(own.wanted, 1);
    await expect.poll(() => heard).toEqual([1]);
    expect(unheard).toEqual([]);
  });

  it('is found when the server starts later than the node, which says that messages may be missing', async () => {
    const server = await serve();
    await server.stop();
    const bus = await busOn({ url: server.url });
    const [here, missed] = [heardBy(bus, own.wanted), heardBy(bus, topics.missed)];
    bus.publish(own.wanted, 1);
    expect([bus.connected, here]).toEqual([false, [1]]);
    await server.start();
    await expect.poll(() => missed).toEqual([null]);
    expect(bus.connected).toBe(true);
    expect(errors).toHaveLength(1);
  });
});
