import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../../testing/device-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

eachDatabase('segments and filters of lists', (open) => {
  let world: DeviceWorld;
  let product_id: string;
  beforeAll(async () => {
    world = await deviceWorld(await open());
    product_id = world.product.id;
  });

  const create = (person: Person, filter: string, title = 'Europe') =>
    world.as(person).call('segments.create', { params: { product_id }, body: { title, filter } });
  const label = async (device_id: string, labels: Record<string, string>) =>
    void unwrap(await world.as('owner').call('attributes.setLabels', { params: { device_id }, body: { labels } }));

  // API-RULE-filter-1, API-EP-GET-devices
  it('a list of devices takes a filter, beside what the caller may see', async () => {
    const [eu, us] = [await world.deviceOf('owner'), await world.deviceOf('owner', { tag: 'beta' })];
    const foreign = await world.deviceOf('stranger');
    await label(eu.id, { region: 'eu' });
    await label(us.id, { region: 'us' });
    const list = async (person: Person, filter: string, more: object = {}) =>
      unwrap(await world.as(person).call('devices.list', { query: { filter, ...more } })).value.map(({ id }) => id);
    expect(await list('owner', 'label.region==eu')).toEqual([eu.id]);
    expect(await list('owner', 'label.region==*', { tag: 'beta' })).toEqual([us.id]);
    expect((await list('owner', 'label.region!=eu')).toSorted()).toEqual([us.id]);
    expect(await list('stranger', 'label.region==*')).toEqual([]);
    expect(await list('stranger', `id==${foreign.id}`)).toEqual([foreign.id]);
    const wrong = await world.as('owner').call('devices.list', { query: { filter: 'label.region==eu;' } });
    expect(outcome(wrong)).toBe('INVALID_FILTER');
  });

  // API-EP-POST-products-product_id-segments, API-EP-GET-segments-segment_id, API-EP-PUT-segments-segment_id,
  // API-EP-DELETE-segments-segment_id, API-EP-GET-products-product_id-segments
  it('a segment counts the devices of its product that fit now', async () => {
    const device = await world.deviceOf('owner');
    const other = await world.app.make.product({ platform_id: world.platform.id });
    const elsewhere = await world.deviceOf('owner', { product_id: other.id });
    for (const { id } of [device, elsewhere]) await label(id, { site: 'pier' });
    const made = unwrap(await create('manager', 'label.site==pier')).value;
    expect(made).toMatchObject({ product_id, title: 'Europe', filter: 'label.site==pier', devices: 1 });
    const params = { segment_id: made.id };
    await label(device.id, { site: 'quay' });
    expect(unwrap(await world.as('maker').call('segments.get', { params })).value.devices).toBe(0);
    const body = { title: 'Quay', filter: 'label.site==quay' };
    expect(unwrap(await world.as('manager').call('segments.update', { params, body })).value).toMatchObject({
      ...body,
      devices: 1,
    });
    const all = unwrap(await world.as('manager').call('segments.list', { params: { product_id } })).value;
    expect(all).toMatchObject([{ id: made.id, ...body, devices: 1 }]);
    expect(outcome(await world.as('manager').call('segments.remove', { params }))).toBe('ok');
    expect(outcome(await world.as('manager').call('segments.get', { params }))).toBe('NOT_FOUND');
  });

  it('a segment with a wrong filter is refused, and so are those who do not manage the fleet', async () => {
    expect(outcome(await create('manager', 'colour==red'))).toBe('INVALID_FILTER');
    expect(outcome(await create('tester', 'tag==beta'))).toBe('FORBIDDEN');
    const other = await world.app.make.product({ platform_id: world.platform.id });
    const call = { params: { product_id: other.id }, body: { title: 'x', filter: 'tag==beta' } };
    expect(outcome(await world.as('stranger').call('segments.create', call))).toBe('NOT_FOUND');
  });

  // API-LIMIT-segments
  it('a product has at most 100 segments', async () => {
    const { storage } = world.app;
    const rows = Array.from({ length: 100 }, (_, index) => ({
      id: `full ${index}`,
      product_id,
      title: 'x',
      filter: 'tag==beta',
      created_at: 0,
      updated_at: 0,
    }));
    await storage.db.insertInto('segments').values(rows).execute();
    expect(outcome(await create('manager', 'tag==beta'))).toBe('LIMIT_REACHED');
  });
});
