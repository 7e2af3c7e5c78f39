import { unwrap, VirtualClock } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { memoryBlobs } from '../../engine/blobs/memory-blobs.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { parseFilter } from '../../extensions/fleet/filters/parse.ts';
import { listFilter } from '../../extensions/fleet/filters/queries.ts';
import { eachDatabase, type Fixtures, fixtures, testStartMs } from '../../testing/index.ts';
import type { Viewer } from '../access/viewer.ts';
import { noHooks } from '../hooks.ts';
import { mergeDeviceCounts } from './counts.ts';
import { listDevices } from './list-queries.ts';

eachDatabase('counts of devices', (open) => {
  let storage: Storage;
  let make: Fixtures;
  beforeAll(async () => {
    storage = await open();
    make = fixtures({ storage, blobs: memoryBlobs(), clock: new VirtualClock(testStartMs) });
  });

  const list = (viewer: Viewer, query: { readonly product_id?: string; readonly user_id?: string; state?: 'active' }) =>
    listDevices({ ...storage, hooks: noHooks }, viewer, { ...query, limit: 100, offset: 0 }, testStartMs);

  // API-RULE-list-1
  it('are those of a walk through all of them, whatever is made, moved, left and removed', async () => {
    const platform = await make.platform();
    const [one, other] = [
      await make.product({ platform_id: platform.id }),
      await make.product({ platform_id: platform.id }),
    ];
    const [owner, guest] = [await make.user(), await make.user()];
    const viewers: readonly Viewer[] = [
      'everyone',
      ...[owner, guest].map(({ id }) => ({ userId: id, customerId: null, customerRole: 'owner' as const })),
    ];
    const at = (product_id: string, user_id: string | null) => ({ platform_id: platform.id, product_id, user_id });
    const ids: string[] = [];
    const place = (index: number) => at(index % 2 === 0 ? one.id : other.id, index % 3 === 0 ? owner.id : null);
    for (let index = 0; index < 12; index++) ids.push((await make.device(place(index))).id);
    const change = (index: number, values: { product_id?: string; user_id?: string | null; title?: string }) =>
      storage.db
        .updateTable('devices')
        .set(values)
        .where('id', '=', ids[index] ?? '')
        .execute();
    const steps: readonly (() => Promise<unknown>)[] = [
      async () => {},
      () => change(0, { product_id: other.id }),
      () => change(1, { user_id: guest.id }),
      () => change(0, { user_id: null }),
      () => change(2, { title: 'Another', product_id: one.id, user_id: null }),
      () => storage.db.deleteFrom('devices').where('id', 'in', ids.slice(3, 6)).execute(),
      () => mergeDeviceCounts({ storage }),
      () => storage.db.deleteFrom('users').where('id', '=', guest.id).execute(),
    ];
    for (const step of steps) {
      await step();
      for (const viewer of viewers) {
        for (const query of [{}, { product_id: one.id }, { user_id: owner.id }, { product_id: 'none' }]) {
          const { items, total } = await list(viewer, query);
          expect(total).toBe(items.length);
        }
      }
    }
  });

  it('are kept: a list of all devices looks at none that it does not show', async () => {
    const { total } = await list('everyone', {});
    const more = { product_id: 'other', user_id: '', n: 1_000 };
    await storage.db.insertInto('count_devices').values(more).execute();
    expect((await list('everyone', {})).total).toBe(total + 1_000);
    expect((await list('everyone', { state: 'active' })).total).toBeLessThanOrEqual(total);
    await storage.db.deleteFrom('count_devices').where('product_id', '=', 'other').execute();
  });

  // API-RULE-list-1
  it('of a filter are those of the devices that a viewer may see, also where an index of values knows how many fit', async () => {
    const platform = await make.platform();
    const [one, other] = [
      await make.product({ platform_id: platform.id }),
      await make.product({ platform_id: platform.id }),
    ];
    const guest = await make.user();
    const at = { platform_id: platform.id, product_id: one.id, user_id: null };
    const theirs = await make.device({ ...at, product_id: other.id, user_id: guest.id });
    const pattern = await make.device(at);
    const row = await storage.db
      .selectFrom('devices')
      .selectAll()
      .where('id', '=', pattern.id)
      .executeTakeFirstOrThrow();
    // More than are put in order before a page of them is made.
    const ids = Array.from({ length: 5_010 }, (_, index) => `c${String(index).padStart(39, '0')}`);
    for (let from = 0; from < ids.length; from += 500) {
      const part = ids.slice(from, from + 500);
      await storage.db
        .insertInto('devices')
        .values(part.map((id) => ({ ...row, id, uuid: id })))
        .execute();
      const attributes = part.map((device_id) => ({ device_id, name: 'heap', value: '7', number: 7, since: 0 }));
      await storage.db
        .insertInto('attributes')
        .values(attributes.map((attribute) => ({ ...attribute, version_key: null })))
        .execute();
    }
    const heap = { device_id: theirs.id, name: 'heap', value: '8', number: 8, version_key: null, since: 0 };
    await storage.db.insertInto('attributes').values(heap).execute();
    const filter = unwrap(parseFilter('attribute.heap=ge=7'));
    const filtering = listFilter(filter)({
      expressions: storage.expressions,
      nowMs: testStartMs,
      seesPrivate: undefined,
    });
    const found = async (viewer: Viewer, query: { readonly product_id?: string; readonly q?: string }) => {
      const page = { ...query, limit: 3, offset: 5_009 };
      const { items, total } = await listDevices({ ...storage, hooks: noHooks }, viewer, page, testStartMs, filtering);
      return [items.length, total];
    };
    const viewer: Viewer = { userId: guest.id, customerId: null, customerRole: 'owner' };
    expect(await found('everyone', {})).toEqual([2, 5_011]);
    expect(await found('everyone', { product_id: one.id })).toEqual([1, 5_010]);
    expect(await found('everyone', { product_id: other.id })).toEqual([0, 1]);
    expect(await found('everyone', { q: 'nothing has this' })).toEqual([0, 0]);
    expect(await found(viewer, {})).toEqual([0, 1]);
    await storage.db.deleteFrom('devices').where('product_id', 'in', [one.id, other.id]).execute();
  });

  it('take one row for all devices of a product and owner that one statement makes or removes', async () => {
    const platform = await make.platform();
    const { id: product_id } = await make.product({ platform_id: platform.id });
    const owner = await make.user();
    const pattern = await make.device({ platform_id: platform.id, product_id: platform.product_id });
    const ids = Array.from({ length: 20 }, (_, index) => `d${String(index).padStart(39, '0')}`);
    const owned = (index: number) => (index % 2 === 0 ? owner.id : null);
    const devices = ids.map((id, index) => ({
      ...pattern,
      id,
      uuid: id,
      mac: null,
      product_id,
      user_id: owned(index),
    }));
    const rows = () =>
      storage.db.selectFrom('count_devices').select('n').where('product_id', '=', product_id).execute();
    await storage.db.insertInto('devices').values(devices).execute();
    const made = await rows();
    expect(made.length).toBeLessThanOrEqual(2);
    expect(made.reduce((sum, { n }) => sum + n, 0)).toBe(20);
    await storage.db.deleteFrom('devices').where('id', 'in', ids).execute();
    const gone = await rows();
    expect(gone.length).toBeLessThanOrEqual(4);
    expect(gone.reduce((sum, { n }) => sum + n, 0)).toBe(0);
  });

  it('are one row for each product and owner after they were merged, and come to nothing with the last device', async () => {
    const rows = () => storage.db.selectFrom('count_devices').select(['product_id', 'user_id', 'n']).execute();
    const { total } = await list('everyone', {});
    await mergeDeviceCounts({ storage });
    const merged = await rows();
    expect(new Set(merged.map(({ product_id, user_id }) => `${product_id} ${user_id}`)).size).toBe(merged.length);
    expect(merged.reduce((sum, { n }) => sum + n, 0)).toBe(total);
    await storage.db.deleteFrom('devices').execute();
    expect((await list('everyone', {})).total).toBe(0);
  });
});
