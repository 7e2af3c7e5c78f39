import { unwrap } from '@moorage/base';
import type { InjectOptions } from 'fastify';
import { beforeAll, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

// API-RULE-access-1, API-RULE-access-2
eachDatabase('access to files by path', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const request = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    options: Omit<InjectOptions, 'method' | 'url'> = {},
    person: Person = 'owner',
  ) => {
    const headers = { authorization: `Bearer ${world.people[person].token}` };
    return world.app.api.inject({ method, url, ...options, headers });
  };

  const everybody: readonly Person[] = ['owner', 'stranger', 'maker', 'manager', 'tester', 'admin'];
  const statuses = async (method: 'GET' | 'POST' | 'DELETE', url: string, seed?: () => Promise<unknown>) => {
    const found: Record<string, number> = {};
    for (const person of everybody) {
      await seed?.();
      const options = method === 'POST' ? { payload: Buffer.from('x') } : {};
      found[person] = (await request(method, url, options, person)).statusCode;
    }
    return found;
  };

  it.each(['GET', 'POST', 'DELETE'] as const)('to the files of a device by %s', async (method) => {
    const device = await world.deviceOf('owner');
    const file = `/api/devices/${device.id}/files/a/b`;
    const seed = () => request('POST', file, { payload: Buffer.from('x') });
    const trust = (vendor_files: boolean) =>
      world.as('owner').call('devices.update', { params: { device_id: device.id }, body: { vendor_files } });
    // The vendor reaches them as long as the owner of the device allows it.
    for (const vendor of [403, 200, 403]) {
      unwrap(await trust(vendor === 200));
      const expected = { owner: 200, stranger: 404, maker: vendor, manager: vendor, tester: 403, admin: 200 };
      expect(await statuses(method, file, seed)).toEqual(expected);
      if (method === 'GET') expect(await statuses('GET', `/api/devices/${device.id}/files`)).toEqual(expected);
    }
  });

  it.each(['preview', 'published'] as const)('to the assets of a product in %s', async (publication) => {
    const at = { platform_id: world.platform.id, user_id: world.people.maker.id, publication };
    const product = await world.app.make.product(at);
    await world.app.make.member(product.id, world.people.manager.id, 'manager');
    await world.app.make.member(product.id, world.people.tester.id, 'tester');
    await world.deviceOf('owner', { product_id: product.id });
    const index = `/api/products/${product.id}/assets`;
    const seed = () => request('POST', `${index}/a`, { payload: Buffer.from('x') }, 'maker');
    await seed();
    // Strangers see the product then, but its assets are for its people and the devices on it.
    const stranger = publication === 'published' ? 403 : 404;
    const reading = { owner: 200, stranger, maker: 200, manager: 200, tester: 200, admin: 200 };
    expect(await statuses('GET', index)).toEqual(reading);
    expect(await statuses('GET', `${index}/a`)).toEqual(reading);
    const changing = { ...reading, owner: 403, tester: 403 };
    expect(await statuses('POST', `${index}/a`)).toEqual(changing);
    expect(await statuses('DELETE', `${index}/a`, seed)).toEqual(changing);
  });

  it('without a token, or to what is not there', async () => {
    for (const [index, what] of [
      [`/api/devices/${unknownId}/files`, 'Device'],
      [`/api/products/${unknownId}/assets`, 'Product'],
    ] as const) {
      for (const [method, url] of [
        ['GET', index],
        ['GET', `${index}/a`],
        ['POST', `${index}/a`],
        ['DELETE', `${index}/a`],
      ] as const) {
        const payload = method === 'POST' ? { payload: Buffer.from('x') } : {};
        const stranger = await world.app.api.inject({ method, url, ...payload });
        expect(stranger.json()).toMatchObject({ statusCode: 401, code: 'UNAUTHENTICATED' });
        expect((await request(method, url, payload)).json()).toMatchObject({
          statusCode: 404,
          message: `${what} not found`,
        });
      }
    }
  });

  it('by any name of the device, in the typed client too', async () => {
    const device = await world.deviceOf('owner', { mac: '4C:55:CC:10:78:9B' });
    const params = { device_id: '4c-55-cc-10-78-9b', path: 'a b/ü' };
    const body = new Blob(['hello'], { type: 'text/x-blob' });
    const written = unwrap(await world.as('owner').call('deviceFiles.upload', { params, body })).value;
    expect(written).toMatchObject({ path: 'a b/ü', mime: 'text/x-blob' });
    const file = unwrap(
      await world.as('owner').call('deviceFiles.get', { params: { ...params, device_id: device.uuid } }),
    );
    expect(Buffer.from(file.value).toString()).toBe('hello');
  });
});
