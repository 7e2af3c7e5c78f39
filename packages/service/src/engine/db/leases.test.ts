import { beforeEach, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { claimWork, endWork } from './leases.ts';
import type { Storage } from './storage.ts';

eachDatabase('work that one process does for all', (open) => {
  let storage: Storage;
  const claim = (holder: string, doneBeforeMs = 1_000) =>
    claimWork(storage.db, { name: 'sweep', holder, doneBeforeMs, aheadMs: doneBeforeMs + 10_000 });
  const live = (id: string) => storage.db.insertInto('processes').values({ id, seen_at: 0 }).execute();

  beforeEach(async () => {
    storage = await open();
    for (const id of ['a', 'b', 'c']) await live(id);
  });

  it('goes to one of those that want it at once', async () => {
    const claims = await Promise.all(['a', 'b', 'c'].map((id) => claim(id)));
    expect(claims.filter((fence) => fence !== undefined)).toEqual([1]);
  });

  it('is due again after a while, for any of them', async () => {
    expect(await claim('a')).toBe(1);
    expect(await endWork(storage.db, 'sweep', 1, 2_000)).toBe(true);
    expect(await claim('b', 1_999)).toBeUndefined();
    expect(await claim('b', 2_000)).toBe(2);
  });

  it('is due though a clock that was years ahead has done it', async () => {
    expect(await claim('a')).toBe(1);
    expect(await endWork(storage.db, 'sweep', 1, 11_000)).toBe(true);
    expect(await claim('b', 1_000)).toBeUndefined();
    expect(await claim('b', 999)).toBe(2);
  });

  it('is due at once when it failed', async () => {
    expect(await claim('a')).toBe(1);
    expect(await endWork(storage.db, 'sweep', 1)).toBe(true);
    expect(await claim('b')).toBe(2);
  });

  it('passes to another when its holder is gone, who cannot end it any more', async () => {
    expect(await claim('a')).toBe(1);
    await storage.db.deleteFrom('processes').where('id', '=', 'a').execute();
    expect(await claim('b')).toBe(2);
    expect(await endWork(storage.db, 'sweep', 1, 5_000)).toBe(false);
    expect(await claim('c')).toBeUndefined();
    expect(await endWork(storage.db, 'sweep', 2, 5_000)).toBe(true);
  });
});
