import { randomUUID } from 'node:crypto';
import { callUrl, contract, type EndpointShape, endpointsOf } from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { type Action, authorise, type Role, roles } from './auth/rules.ts';
import type { Storage } from './db/storage.ts';
import { softwarePlatform } from './devices/rules.ts';
import { buildApp, eachDatabase, type TestApp } from './testing/index.ts';

/**
 * What a caller's right is about: a product or what belongs to it, a device or what belongs to it, the service as a
 * whole, the caller alone, or a list that leaves out what the caller may not see.
 */
type Subject = 'product' | 'device' | 'service' | 'self' | 'filtered' | 'nobody';

interface Row {
  readonly on: Subject;
  /** The row of the authorisation table that decides; not for what everybody may. */
  readonly action?: Action;
  /** A good body: what is refused, is refused for the caller's sake. */
  readonly body?: Readonly<Record<string, unknown>> | ((scene: Scene) => Readonly<Record<string, unknown>>);
  /** Other values for the blanks of the path. */
  readonly params?: (scene: Scene) => Readonly<Record<string, string>>;
}

const product = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'product', action, ...more });
const device = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'device', action, ...more });
const service = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'service', action, ...more });
const self = (more: Partial<Row> = {}): Row => ({ on: 'self', action: 'user.self', ...more });
const filtered: Row = { on: 'filtered' };
const nobody: Row = { on: 'nobody' };

const preview = (scene: Scene) => ({ bundle_id: scene.draft, resource_id: scene.draftResource });

const randomDigits = (): string => (randomUUID() + randomUUID()).replaceAll('-', '').slice(0, 40);

/** Every endpoint of the contract that users call: one that is missing here fails the test. */
const walk: Readonly<Record<string, Row | readonly Row[]>> = {
  'auth.login': nobody,
  'auth.signup': nobody,
  'users.get': self(),
  'users.update': self({ body: { name_given: 'x' } }),
  'tokens.list': self(),
  'tokens.create': self(),
  'tokens.rename': self({ body: { title: 'x' } }),
  'tokens.revoke': self(),
  'overview.init': self(),
  'overview.status': self(),
  'platforms.list': filtered,
  'platforms.get': service('platform.read'),
  'platforms.create': service('platform.write', { body: () => ({ code: randomUUID().slice(0, 8), title: 'x' }) }),
  'platforms.addFlavor': service('platform.write', { body: () => ({ code: randomUUID().slice(0, 8) }) }),
  'platforms.addFirmware': service('platform.write', {
    body: ({ flavor }) => ({ flavor_id: flavor, label: 'x', version: '9.0.0.0', files: [] }),
  }),
  'products.list': filtered,
  'products.create': service('product.create', {
    body: ({ platform }) => ({ title: 'x', code: randomUUID(), meta: '', platform_id: platform }),
  }),
  'products.get': product('product.read'),
  'products.description': product('product.read'),
  'products.update': [
    product('product.change', { body: ({ code }) => ({ code }) }),
    product('product.claimable', { body: ({ code }) => ({ code, claimable: false }) }),
    product('product.part_number', { body: ({ code }) => ({ code, part_number: randomUUID() }) }),
  ],
  'products.remove': product('product.admin'),
  'products.setState': product('product.change', { body: { state: 'trash' } }),
  'products.listTokens': product('token.activation.create'),
  'products.addToken': product('token.activation.create', { body: {} }),
  'products.removeToken': product('token.activation.create', {
    params: ({ activation }) => ({ token_id: activation }),
  }),
  'productPeople.list': product('product.people'),
  'productPeople.add': product('product.admin', { body: ({ bystander }) => ({ user: bystander, role: 'tester' }) }),
  'productPeople.remove': product('product.admin', { params: ({ colleague }) => ({ user_id: colleague }) }),
  'productPeople.makeProduction': service('product.production', {
    body: ({ customer }) => ({ customer_id: customer, part_number: randomUUID() }),
  }),
  'customers.list': service('customer.manage'),
  'customers.create': service('customer.manage', { body: () => ({ name: randomUUID().slice(0, 8) }) }),
  'customers.addUser': service('customer.manage', { body: ({ bystander }) => ({ user: bystander }) }),
  'connectors.list': product('product.connectors'),
  'connectors.create': product('product.connectors', {
    body: { title: 'x', code: 'NEW', type: 'webhook', opts: { url: 'https://example.com/' } },
  }),
  'connectors.get': product('product.connectors'),
  'connectors.update': product('product.connectors', { body: { title: 'x', code: 'NEW' } }),
  'connectors.remove': product('product.connectors'),
  'connectors.test': product('product.connectors'),
  'connectors.deliveries': product('product.connectors'),
  'bundles.list': product('product.read'),
  'bundles.create': product('product.change', {
    body: ({ product: product_id, firmware }) => ({ product_id, firmware_id: firmware }),
  }),
  'bundles.byTag': product('product.read'),
  'bundles.get': product('product.read'),
  'bundles.addResource': product('product.change', { params: preview, body: { filename: 'x', base64: '' } }),
  'bundles.removeResource': product('product.change', { params: preview }),
  'bundles.binary': product('product.read'),
  'bundles.setState': product('product.change', { body: { state: 'archive' } }),
  'bundles.setTag': product('product.change', { body: { tag: 'alpha' } }),
  'assets.list': product('product.read'),
  'assets.get': product('product.read'),
  'assets.upload': product('product.change'),
  'assets.remove': product('product.change'),
  'logs.list': filtered,
  'logs.get': filtered,
  'metrics.activity': filtered,
  'metrics.locations': filtered,
  'devices.list': filtered,
  'devices.get': device('device.read'),
  'devices.provision': [
    service('device.provision.hardware', {
      body: ({ platform, part }) => ({ uuid: (part + randomDigits()).slice(0, 40), platform_id: platform }),
    }),
    service('device.provision.software', {
      body: ({ software }) => ({ uuid: randomDigits(), platform_id: software }),
    }),
  ],
  'devices.update': device('device.update', { body: { title: 'x' } }),
  'devices.activate': device('device.activate', { body: ({ published }) => ({ product_id: published }) }),
  'devices.products': device('device.read'),
  'devices.reset': device('device.reset'),
  'devices.setTag': device('device.tag', { body: { tag: 'beta' } }),
  'devices.certificates': device('device.certificates'),
  'devices.renewToken': device('device.certificates'),
  'deviceUpdates.query': device('device.ota', { body: {} }),
  'deviceUpdates.report': device('device.ota', { body: ({ bundle }) => ({ bundle_id: bundle }) }),
  'deviceUpdates.file': device('device.ota'),
  'deviceUpdates.list': device('device.read'),
  'deviceFiles.list': device('device.files'),
  'deviceFiles.get': device('device.files'),
  'deviceFiles.upload': device('device.files'),
  'deviceFiles.remove': device('device.files'),
  'avatars.user': service('user.self', { params: ({ colleague }) => ({ user_id: colleague }) }),
  'avatars.setUser': self(),
  'avatars.platform': service('platform.read'),
  'avatars.setPlatform': service('platform.write'),
  'identity.authority': nobody,
  'meta.health': nobody,
  'meta.ready': nobody,
  'meta.metrics': nobody,
};

/** A connector and an activation token of a product, and a customer. */
async function appendages({ db }: Storage, product_id: string, user_id: string) {
  const ids = { connector: randomUUID(), activation: randomUUID(), customer: randomUUID() };
  // The test call is refused before it leaves the machine.
  const webhook = { type: 'webhook', url: 'http://127.0.0.1:1/', method: 'POST', headers: {}, timeout_ms: 100 };
  await db
    .insertInto('connectors')
    .values({
      id: ids.connector,
      product_id,
      title: 'x',
      code: 'X',
      type: 'webhook',
      opts: JSON.stringify(webhook),
      state: 'ok',
      last_used_at: null,
      last_error: null,
      created_at: 1,
      updated_at: 1,
    })
    .execute();
  const token = { token_hash: ids.activation, tail: 'x', uses_left: 1, created_at: 1 };
  await db
    .insertInto('activation_tokens')
    .values({ id: ids.activation, product_id, user_id, ...token })
    .execute();
  await db
    .insertInto('customers')
    .values({ id: ids.customer, name: ids.customer, title: 'x', created_at: 1 })
    .execute();
  return ids;
}

/** A product with everything that belongs to one, a device that is activated to it, and somebody in each role. */
type Scene = Awaited<ReturnType<typeof sceneFor>>;

async function sceneFor({ make, storage }: TestApp, role: Role, software: string) {
  const platform = await make.platform();
  const [owner, caller, colleague, bystander] = await Promise.all([
    make.user(),
    make.user(role === 'admin' ? { role: 'admin' } : {}),
    make.user(),
    make.user(),
  ]);
  const at = { platform_id: platform.id, flavor_id: platform.flavor.id };
  const publication = role === 'visitor' ? 'published' : 'preview';
  const made = await make.product({ ...at, user_id: role === 'owner' ? caller.id : owner.id, publication });
  const published = await make.product({ ...at, publication: 'published' });
  const firmware = await make.firmware(at);
  const ours = { product_id: made.id, firmware_id: firmware.id, user_id: owner.id };
  const bundle = await make.bundle({ ...ours, state: 'published', tag: 'release' });
  const draft = await make.bundle(ours);
  const resource = await make.resource(Buffer.from('x'), { bundle_id: bundle.id });
  const gadget = await make.device({
    platform_id: platform.id,
    product_id: made.id,
    user_id: role === 'deviceOwner' ? caller.id : owner.id,
    state: 'active',
  });
  const draftResource = await make.resource(Buffer.from('y'), { bundle_id: draft.id });
  if (role === 'manager' || role === 'tester') await make.member(made.id, caller.id, role);
  await make.member(made.id, colleague.id, 'tester');
  const { activation, connector, customer } = await appendages(storage, made.id, owner.id);
  return {
    caller,
    software,
    activation,
    customer,
    bystander: bystander.email,
    colleague: colleague.id,
    flavor: platform.flavor.id,
    platform: platform.id,
    part: platform.part_id ?? '',
    firmware: firmware.id,
    product: made.id,
    code: made.code,
    published: published.id,
    bundle: bundle.id,
    draft: draft.id,
    draftResource: draftResource.id,
    resource: resource.id,
    device: gadget.id,
    connector,
  };
}

const paramsOf = (scene: Scene): Readonly<Record<string, string>> => ({
  product_id: scene.product,
  bundle_id: scene.bundle,
  resource_id: scene.resource,
  device_id: scene.device,
  identifier: scene.device,
  id: scene.device,
  platform_id: scene.platform,
  connector_id: scene.connector,
  customer_id: scene.customer,
  user_id: scene.caller.id,
  token_id: randomUUID(),
  log_id: randomUUID(),
  tag: 'release',
  path: 'some/file.txt',
  name: 'file.txt',
});

/** The roles that the caller of a column has towards a subject. */
function heldBy(role: Role, on: Subject): Role[] {
  if (on === 'product') return [...new Set<Role>(['anyone', role])];
  // That a product is public shows nobody the devices on it.
  if (on === 'device') return role === 'visitor' ? ['anyone'] : [...new Set<Role>(['anyone', role])];
  return role === 'admin' ? ['anyone', 'admin'] : ['anyone'];
}

type Outcome = 'may' | 'FORBIDDEN' | 'NOT_FOUND';

const expected = ({ on, action }: Row, role: Role): Outcome =>
  action === undefined ? 'may' : ((authorise(action, heldBy(role, on), 'It')?.code as Outcome | undefined) ?? 'may');

/** What hides behind "not found" when the caller may not see it, as its message begins. */
const hidden = /^(Device|Product|Bundle|Resource|Connector|Platform|User|Customer) not found$/;

async function outcomeOf(app: TestApp, shape: EndpointShape, row: Row, scene: Scene): Promise<Outcome> {
  const params = { ...paramsOf(scene), ...row.params?.(scene) };
  const body = typeof row.body === 'function' ? row.body(scene) : row.body;
  const request: InjectOptions = {
    // Safe: only the contract's methods.
    method: shape.method as NonNullable<InjectOptions['method']>,
    url: callUrl(shape, { params }),
    headers: { authorization: `Bearer ${scene.caller.token}` },
    ...(body && { payload: body }),
  };
  const reply = await app.api.inject(request);
  expect(reply.statusCode, reply.payload).toBeLessThan(500);
  if (reply.statusCode < 400) return 'may';
  const { code, message } = reply.json<{ code: string; message: string }>();
  if (code === 'INVALID_REQUEST') throw new Error(`The row has a bad body: ${message}`);
  if (code === 'FORBIDDEN') return 'FORBIDDEN';
  return code === 'NOT_FOUND' && hidden.test(message) ? 'NOT_FOUND' : 'may';
}

// API-RULE-access-1, API-RULE-access-2
eachDatabase('authorisation of the endpoints', (open) => {
  it('has a row for every endpoint, and none for another', () => {
    expect(Object.keys(walk).sort()).toEqual(
      endpointsOf(contract)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('is the table of the rules, cell by cell', { timeout: 120_000 }, async () => {
    const app = await buildApp(await open());
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const wrong: string[] = [];
    for (const { name, shape } of endpointsOf(contract)) {
      const rows = [walk[name] ?? []].flat().filter(({ on }) => on !== 'nobody');
      for (const [row, role] of rows.flatMap((one) => roles.map((role) => [one, role] as const))) {
        const wanted = expected(row, role);
        const found = await outcomeOf(app, shape, row, await sceneFor(app, role, software.id)).catch(String);
        if (found !== wanted) wrong.push(`${name} by ${role}: ${found} instead of ${wanted}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
