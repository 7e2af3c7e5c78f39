import { contract, type EndpointName, type EndpointShape, isConditional } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { injectFetch } from './inject-fetch.ts';

type Name = EndpointName & string;

/** Every change that takes If-Match, and two bodies that differ. A new one is a row. */
const bodies: Partial<Record<Name, readonly [object, object]>> = {
  'users.update': [{ name_given: 'Ada' }, { name_given: 'Grace' }],
  'platforms.setAccess': [
    { restricted: false, users: [], customers: [] },
    { restricted: true, users: [], customers: [] },
  ],
  'platforms.setFlavorAccess': [
    { restricted: false, users: [], customers: [] },
    { restricted: true, users: [], customers: [] },
  ],
  'products.update': [{ summary: 'One' }, { summary: 'Two' }],
  'connectors.update': [{ title: 'One' }, { title: 'Two' }],
  'devices.update': [{ description: 'One' }, { description: 'Two' }],
  'accounts.update': [{ disabled: false }, { disabled: true }],
  'doors.set': [
    { ddi: true, mender: false, waiting: false },
    { ddi: false, mender: false, waiting: false },
  ],
  'segments.update': [{ title: 'One' }, { title: 'Two' }],
  'rollouts.setFleetSettings': [{ wake_per_minute: 10 }, { wake_per_minute: 20 }],
  'rollouts.freeze': [{ reason: 'One' }, { reason: 'Two' }],
  'rollouts.pin': [{ reason: 'One' }, { reason: 'Two' }],
};

const shapes: Readonly<Record<string, EndpointShape>> = Object.fromEntries(
  Object.entries(contract).flatMap(([resource, of]) =>
    Object.entries(of).map(([name, shape]) => [`${resource}.${name}`, shape as EndpointShape]),
  ),
);
const conditionalNames = Object.keys(shapes).filter((name) => shapes[name] && isConditional(shapes[name]));

it('every change of a record that is read beside it takes If-Match and is tested here', () => {
  expect(Object.keys(bodies).sort()).toEqual(conditionalNames.sort());
});

// API-ERR-412
eachDatabase('a change with If-Match', (open) => {
  let send: (method: string, url: string, body?: object, tag?: string) => Promise<Response>;
  let blanks: Readonly<Record<string, string>>;
  let fixed: Readonly<Record<string, object>>;

  beforeAll(async () => {
    const app = await buildApp(await open());
    const admin = await app.make.admin();
    const client = app.client.as(admin.token);
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id, user_id: admin.id });
    const params = { product_id: product.id };
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const bundle = await app.make.bundle({
      ...params,
      firmware_id: firmware.id,
      user_id: admin.id,
      state: 'published',
      version: '1.0.0.0',
    });
    const device = await app.make.device({ platform_id: platform.id, ...params });
    const hook = { title: 'Hook', code: 'HOOK', opts: { url: 'https://example.com/hook' } };
    const connector = unwrap(await client.call('connectors.create', { params, body: hook })).value;
    const europe = { title: 'Europe', filter: 'label.region==eu' };
    const segment = unwrap(await client.call('segments.create', { params, body: europe })).value;
    const { id: user_id } = await app.make.user();
    blanks = {
      ...params,
      platform_id: platform.id,
      flavor_id: platform.flavor.id,
      connector_id: connector.id,
      segment_id: segment.id,
      device_id: device.id,
      identifier: device.id,
      user_id,
    };
    fixed = {
      'products.update': { code: product.code },
      'connectors.update': { code: hook.code, opts: hook.opts },
      'segments.update': { filter: europe.filter },
      'rollouts.pin': { bundle_id: bundle.id },
      'users.update': { email: admin.email },
    };
    send = (method, url, body, tag) =>
      injectFetch(app.service.api)(`http://service${url}`, {
        method,
        headers: {
          authorization: `Bearer ${admin.token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(tag !== undefined && { 'if-match': tag }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
  });

  const pathOf = ({ path }: EndpointShape) =>
    path.replaceAll(/\{(\w+)\??\}/g, (_, name: string) => blanks[name] ?? name);

  it.each(conditionalNames)('%s is refused once the record has changed', async (name) => {
    const shape = shapes[name] as EndpointShape & { readonly audit: { readonly read: string } };
    const reader = shapes[`${name.split('.', 1)[0]}.${shape.audit.read}`] as EndpointShape;
    const [first, second] = (bodies[name as Name] ?? []).map((body) => ({ ...fixed[name], ...body }));
    const change = (body: object | undefined, tag?: string) => send('PUT', pathOf(shape), body, tag);
    const read = async () => (await send('GET', pathOf(reader))).headers.get('etag') ?? '';
    expect((await change(first)).status).toBe(200);
    const opened = await read();
    expect(opened).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await change(first, opened)).status).toBe(200);
    expect(await read(), 'what sets nothing else changes no tag').toBe(opened);
    expect((await change(second, opened)).status).toBe(200);
    expect(await read()).not.toBe(opened);
    const refused = await change(first, opened);
    expect(refused.status).toBe(412);
    expect(await refused.json()).toMatchObject({ code: 'RECORD_CHANGED' });
    expect((await change(first, await read())).status).toBe(200);
    expect((await change(second, '*')).status).toBe(200);
  });
});
