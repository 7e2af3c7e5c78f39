import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStorage } from '../db/open.ts';
import type { Storage } from '../db/storage.ts';
import { eachDatabase } from '../testing/index.ts';
import { type Topic, topic } from './topics.ts';

// Topics of this test alone.
const own = {
  wake: topic<object>('wake'),
  wanted: topic<number>('wanted'),
  unwanted: topic<number>('unwanted'),
  long: topic<object>('long'),
  left: topic<number>('left'),
  again: topic<number>('again'),
};

// API-CHAN-processes
eachDatabase('bus', (_open, kind, address) => {
  let near: Storage;
  let far: Storage;

  beforeEach(async () => {
    const url = await address();
    near = await openStorage(url);
    // SQLite has one process: both ends are the same there.
    far = kind === 'postgres' ? await openStorage(url) : near;
  });
  afterEach(async () => {
    await near.close();
    if (far !== near) await far.close();
  });

  const heardBy = <M>(storage: Storage, topic: Topic<M>) => {
    const heard: unknown[] = [];
    storage.bus.subscribe(topic, (message) => heard.push(message));
    return heard;
  };

  it('tells the own process at once, and every other', async () => {
    const [here, there] = [heardBy(near, own.wake), heardBy(far, own.wake)];
    near.bus.publish(own.wake, { id: 7 });
    expect(here).toEqual([{ id: 7 }]);
    await expect.poll(() => there).toEqual([{ id: 7 }]);
  });

  it('keeps topics apart, and their order', async () => {
    const [wanted, unwanted] = [heardBy(far, own.wanted), heardBy(far, own.unwanted)];
    for (let number = 0; number < 50; number++) near.bus.publish(own.wanted, number);
    await expect.poll(() => wanted).toEqual(Array.from({ length: 50 }, (_, number) => number));
    expect(unwanted).toEqual([]);
  });

  it('carries long messages whole, whatever characters they have', async () => {
    const heard = heardBy(far, own.long);
    const message = { text: 'Ünïcode \u{1f6f3} \u0000'.repeat(9_000) };
    near.bus.publish(own.long, message);
    await expect.poll(() => heard).toEqual([message]);
  });

  it('says nothing to a listener that has left', async () => {
    const heard: unknown[] = [];
    const leave = far.bus.subscribe(own.left, (message) => heard.push(message));
    const after = heardBy(far, own.left);
    leave();
    near.bus.publish(own.left, 1);
    await expect.poll(() => after).toEqual([1]);
    expect(heard).toEqual([]);
  });

  // There is no line to cut in one process.
  if (kind === 'sqlite') return;
  it('finds its way back after the server has cut the line', async () => {
    const heard = heardBy(far, own.again);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query = 'listen moorage' and datname = current_database()`.execute(near.db);
    const said = () => {
      near.bus.publish(own.again, 1);
      return heard.length;
    };
    await expect.poll(said, { interval: 100 }).toBeGreaterThan(0);
  });
});
