import { randomUUID } from 'node:crypto';
import { labelsLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { outcome } from '../../../testing/device-world.ts';
import { eachDatabase, type MadeUser } from '../../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../../testing/ota-world.ts';

eachDatabase('attributes and labels', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  const call = (user: MadeUser) => world.app.client.as(user.token);
  const attributes = async (device_id: string) =>
    unwrap(await call(world.people.owner).call('attributes.list', { params: { device_id } })).value;
  const valuesOf = async (id: string) =>
    Object.fromEntries((await attributes(id)).map(({ name, value }) => [name, value]));
  const labelsOf = async (user: MadeUser, device_id: string) =>
    unwrap(await call(user).call('attributes.labels', { params: { device_id } })).value;

  // API-RULE-attributes-1, API-EP-GET-devices-device_id-attributes
  it('a query reports attributes; the last value counts, since when it came first', async () => {
    const { app, productWithRelease, deviceOn, ask } = world;
    const { product, release } = await productWithRelease();
    const device = await deviceOn(product.id);
    const firstMs = app.clock.now();
    const quiet = { bid: release.id, bversion: release.bversion };
    expect(await ask(device, { ...quiet, attributes: { signal: -60, board: 'Harbour.3' } })).toMatchObject({
      status: 200,
    });
    await app.clock.advance(60_000);
    await ask(device, { ...quiet, attributes: { signal: -61.5, board: 'Harbour.3', quiet: false } });
    expect(await attributes(device.id)).toEqual([
      { name: 'board', value: 'Harbour.3', since: String(firstMs) },
      { name: 'quiet', value: 'false', since: String(firstMs + 60_000) },
      { name: 'signal', value: '-61.5', since: String(firstMs + 60_000) },
      { name: 'version', value: release.version, since: String(firstMs) },
    ]);
    await ask(device, { ...quiet, attributes: { quiet: null } });
    expect(await valuesOf(device.id)).not.toHaveProperty('quiet');
  });

  it('many devices at once keep theirs apart', async () => {
    const { productWithRelease, deviceOn, ask } = world;
    const { product } = await productWithRelease();
    const devices = await Promise.all(Array.from({ length: 12 }, () => deviceOn(product.id)));
    await Promise.all(devices.map((device, index) => ask(device, { attributes: { index } })));
    const found = await Promise.all(devices.map(({ id }) => valuesOf(id)));
    expect(found.map(({ index }) => index)).toEqual(devices.map((_, index) => String(index)));
  });

  it.each([
    ['a name with a blank', { 'free flash': 1 }],
    ['a list', { a: [] }],
    ['a long text', { a: 'x'.repeat(257) }],
    ['too many', Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`a${index}`, 1]))],
  ])('%s is 400', async (_, wrong) => {
    const { productWithRelease, deviceOn, ask } = world;
    const device = await deviceOn((await productWithRelease()).product.id);
    expect(await ask(device, { attributes: wrong })).toMatchObject({ status: 400 });
  });

  // API-EP-PUT-devices-device_id-labels, API-EP-GET-devices-device_id-labels, API-RULE-labels-1
  it('labels are set and removed by those who may change the device', async () => {
    const { people, productWithRelease, deviceOn } = world;
    const device = await deviceOn((await productWithRelease()).product.id);
    const params = { device_id: device.id };
    const set = (user: MadeUser, labels: Record<string, string | null>) =>
      call(user).call('attributes.setLabels', { params, body: { labels } });
    expect(outcome(await set(people.maker, { region: 'eu', site: 'pier' }))).toBe('ok');
    expect(unwrap(await set(people.owner, { site: null, test: '' })).value).toEqual({ region: 'eu', test: '' });
    expect(await labelsOf(people.tester, device.id)).toEqual({ region: 'eu', test: '' });
    expect(outcome(await set(people.tester, { a: 'b' }))).toBe('FORBIDDEN');
    expect(outcome(await set(people.stranger, { a: 'b' }))).toBe('NOT_FOUND');
    const many = Object.fromEntries(Array.from({ length: labelsLimit - 1 }, (_, index) => [`a${index}`, 'x']));
    expect(outcome(await set(people.owner, many))).toBe('LIMIT_REACHED');
    expect(outcome(await set(people.owner, {}))).toBe('INVALID_REQUEST');
  });

  // API-LIMIT-attributes
  it('a device has so many attributes and labels, with names and values so long', async () => {
    const { people, productWithRelease, deviceOn, ask } = world;
    const device = await deviceOn((await productWithRelease()).product.id);
    const named = (count: number, start = 'a') =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${start}${index}`, 'x']));
    const statusOf = async (values: object) => (await ask(device, { attributes: values })).status;
    expect([await statusOf(named(64)), await statusOf(named(65))]).toEqual([200, 400]);
    await ask(device, { attributes: { more: 'x' } });
    expect(Object.keys(await valuesOf(device.id))).toHaveLength(64);
    const [name, value] = ['n'.repeat(64), 'v'.repeat(256)];
    expect(await statusOf({ [`${name}n`]: value })).toBe(400);
    expect(await statusOf({ [name]: `${value}v` })).toBe(400);
    const set = async (labels: Record<string, string>) => {
      const params = { device_id: device.id };
      return outcome(await call(people.owner).call('attributes.setLabels', { params, body: { labels } }));
    };
    expect(await set({ [`${name}n`]: value })).toBe('INVALID_REQUEST');
    expect(await set({ [name]: `${value}v` })).toBe('INVALID_REQUEST');
    expect(await set({ [name]: value })).toBe('ok');
    expect(await set(named(31, 'b'))).toBe('ok');
    expect(await set({ more: 'x' })).toBe('LIMIT_REACHED');
  });

  // API-EP-POST-devices-labels, API-RULE-many-devices-1
  it('labels of many devices change in one call, and those refused are listed', async () => {
    const { people, productWithRelease, deviceOn } = world;
    const { product } = await productWithRelease();
    const [one, other] = [await deviceOn(product.id), await deviceOn(product.id)];
    const missing = randomUUID();
    const body = { device_ids: [one.id, other.id, one.id, missing], labels: { region: 'eu' } };
    expect(unwrap(await call(people.maker).call('attributes.setManyLabels', { body })).value).toEqual({
      ok: 2,
      refused: [{ device_id: missing, code: 'NOT_FOUND', message: 'Device not found' }],
    });
    expect(await labelsOf(people.owner, other.id)).toEqual({ region: 'eu' });
    expect(await world.logsOf(one)).toEqual(['device.update']);
    // Nothing changes, and nothing is logged.
    unwrap(await call(people.maker).call('attributes.setManyLabels', { body }));
    expect(await world.logsOf(one)).toEqual(['device.update']);
  });

  it('a factory reset takes labels and attributes away', async () => {
    const { people, productWithRelease, deviceOn, ask } = world;
    const device = await deviceOn((await productWithRelease()).product.id);
    const params = { device_id: device.id };
    await ask(device, { attributes: { board: 'x' } });
    unwrap(await call(people.owner).call('attributes.setLabels', { params, body: { labels: { region: 'eu' } } }));
    expect(outcome(await call(people.owner).call('devices.reset', { params }))).toBe('ok');
    const left = ['attributes', 'labels'] as const;
    for (const table of left) {
      const { storage } = world.app;
      const rows = await storage.db.selectFrom(table).select('name').where('device_id', '=', device.id).execute();
      expect(rows, table).toEqual([]);
    }
  });
});
