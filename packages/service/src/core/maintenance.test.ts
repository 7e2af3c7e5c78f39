import { Readable } from 'node:stream';
import { hourMs, minuteMs } from '@moorage/base';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { buildApp, eachDatabase } from '../testing/index.ts';
import { startMaintenance } from './maintenance.ts';

eachDatabase('maintenance', (open) => {
  test('maintenance removes blobs that nothing refers to, and keeps the others', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id });
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const bundle = await app.make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: user.id });
    const kept = await app.make.resource(Buffer.from('kept'), { bundle_id: bundle.id });
    const stray = await app.blobs.put(Readable.from([Buffer.from('stray')]), 100);
    // The service does it itself, each hour; a round takes as long as its database does.
    await expect
      .poll(async () => {
        await app.clock.advance(hourMs);
        return app.blobs.open(stray?.sha256 ?? '');
      })
      .toBeUndefined();
    expect(await app.blobs.open(kept.sha256)).toBeDefined();
  });

  test('of several processes one does what is due, and another once that one is gone', async () => {
    const storage = await open();
    const app = await buildApp(storage);
    await app.service.close();
    const done: string[] = [];
    const processes = ['a', 'b', 'c'];
    for (const id of processes) await storage.db.insertInto('processes').values({ id, seen_at: 0 }).execute();
    const start = (id: string) =>
      startMaintenance({ ...app.service.deps, lease: { id, signOn: async () => {} } }, [
        { name: 'something', run: async () => void done.push(id) },
      ]);
    /** One round of each, an hour after the one before: some minutes after they have started. */
    const round = async () => {
      await app.clock.advance(hourMs);
      const stops = processes.map(start);
      await app.clock.advance(5 * minuteMs);
      await Promise.all(stops.map((stop) => stop()));
    };
    await round();
    expect(done).toHaveLength(1);
    const work = storage.db.updateTable('work').where('name', '=', 'something');
    await work.set({ holder: 'a' }).execute();
    await round();
    expect(done).toHaveLength(1);
    await work.set({ holder: 'gone' }).execute();
    await round();
    expect(done).toHaveLength(2);
  });

  test('what deleted rows have left goes back to the system', async () => {
    const storage = await open();
    if (!storage.shrink) return;
    const pages = async () =>
      (await sql<{ page_count: number }>`pragma page_count`.execute(storage.db)).rows[0]?.page_count ?? 0;
    const row = { type: 'user.update', level: 'info', data: '{}', created_at: 1, message: 'x'.repeat(2_000) } as const;
    const before = await pages();
    for (let at = 0; at < 500; at++)
      await storage.db
        .insertInto('logs')
        .values({ ...row, id: `${at}` })
        .execute();
    const most = await pages();
    await storage.db.deleteFrom('logs').execute();
    expect(await pages()).toBe(most);
    await storage.shrink();
    expect(await pages()).toBeLessThan(before + (most - before) / 10);
  });
});
