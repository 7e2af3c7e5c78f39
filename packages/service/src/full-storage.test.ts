import { expect, it } from 'vitest';
import type { BlobStore } from './engine/blobs/blob-store.ts';
import { memoryBlobs } from './engine/blobs/memory-blobs.ts';
import { fillDatabase } from './testing/full-database.ts';
import { eachDatabase } from './testing/index.ts';
import { otaWorld } from './testing/ota-world.ts';

const bytes = Buffer.from('hello');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type World = Awaited<ReturnType<typeof openWorld>>;

/** A product with a release, a device that has it, and a file of the device. */
async function openWorld(...[storage, options]: Parameters<typeof otaWorld>) {
  const world = await otaWorld(storage, options);
  const { release, product } = await world.productWithRelease();
  const device = await world.deviceOn(product.id);
  const upToDate = { version: release.version, bversion: release.bversion };
  await world.ask(device, upToDate);
  await world.report(device, release.id, 0, release.bversion);
  const preview = await world.app.make.bundle({
    product_id: product.id,
    firmware_id: release.firmware_id,
    user_id: world.people.maker.id,
  });
  const as = (person: 'owner' | 'maker') => world.app.client.as(world.people[person].token);
  const upload = (url: string, token: string, payload: Buffer, type = 'text/plain') =>
    world.app.api.inject({
      method: 'POST',
      url,
      payload,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
  return { ...world, release, product, device, preview, upToDate, as, upload };
}

type Call = (world: World) => Promise<{ readonly ok: boolean; readonly error?: { readonly status: number } }>;

/** A change in each slice that writes records. */
const changes: Readonly<Record<string, Call>> = {
  'users.update': ({ as }) => as('owner').call('users.update', { body: { name_given: 'Ada' } }),
  'auth.signup': ({ app }) =>
    app.client.call('auth.signup', { body: { email: 'new@example.com', password: 'a long password' } }),
  'tokens.create': ({ as }) => as('owner').call('tokens.create', {}),
  'products.create': ({ as, platform }) =>
    as('maker').call('products.create', { body: { code: 'NEW', title: 'New', meta: '', platform_id: platform.id } }),
  'products.update': ({ as, product }) =>
    as('maker').call('products.update', {
      params: { product_id: product.id },
      body: { code: product.code, title: 'Other' },
    }),
  'bundles.setState': ({ as, preview }) =>
    as('maker').call('bundles.setState', { params: { bundle_id: preview.id }, body: { state: 'published' } }),
  'devices.update': ({ as, device }) =>
    as('owner').call('devices.update', { params: { device_id: device.id }, body: { title: 'Other' } }),
  'devices.setState': ({ as, device }) =>
    as('owner').call('devices.setState', { params: { device_id: device.id }, body: { state: 'disabled' } }),
  'devices.reset': ({ as, device }) => as('owner').call('devices.reset', { params: { device_id: device.id } }),
  'connectors.create': ({ as, product }) =>
    as('maker').call('connectors.create', {
      params: { product_id: product.id },
      body: { code: 'HOOK', title: 'Hook', opts: { url: 'https://example.com/' } },
    }),
  'broadcasts.create': ({ as }) => as('owner').call('broadcasts.create', {}),
};

/** The same of uploads, whose bytes go to the file store first. */
const uploads: Readonly<Record<string, (world: World) => Promise<{ readonly statusCode: number; json(): unknown }>>> = {
  'deviceFiles.upload': ({ upload, device, people }) =>
    upload(`/api/devices/${device.id}/files/a.txt`, people.owner.token, bytes),
  'assets.upload': ({ upload, product, people }) =>
    upload(`/api/products/${product.id}/assets/a.txt`, people.maker.token, bytes),
  'avatars.setUser': ({ upload, people }) =>
    upload(`/api/users/${people.owner.id}/avatar`, people.owner.token, png, 'image/png'),
  'bundles.addResource': ({ app, preview, people }) =>
    app.api.inject({
      method: 'POST',
      url: `/api/bundles/${preview.id}/resources`,
      payload: { filename: 'new.txt', base64: bytes.toString('base64') },
      headers: { authorization: `Bearer ${people.maker.token}` },
    }),
  'files.upload': ({ inject, device }) => inject(device, 'POST', '/files/device/a.txt', { some: 'bytes' }),
};

const full = (what: string) => ({
  statusCode: 507,
  code: 'STORAGE_FULL',
  message: `No room is left in the ${what}; reading goes on, and changes do when there is room again`,
});

// API-ERR-507
eachDatabase('a database without room', (open) => {
  it('refuses every change and says why, answers what only reads, and goes on when there is room', async () => {
    const world = await openWorld(await open());
    const { app, as, device, product, people } = world;
    const makeRoom = await fillDatabase(app.storage);
    for (const [name, call] of Object.entries(changes)) {
      expect(await call(world), name).toMatchObject({ ok: false, error: { status: 507, body: full('database') } });
    }
    for (const [name, call] of Object.entries(uploads)) {
      expect((await call(world)).json(), name).toMatchObject(full('database'));
    }
    for (const url of ['/api/devices', `/api/devices/${device.id}`, `/api/products/${product.id}`, '/api/logs']) {
      const headers = { authorization: `Bearer ${people.owner.token}` };
      expect((await app.api.inject({ url, headers })).statusCode, url).toBe(200);
    }
    const warning = 'No room is left in the database: changes are refused until there is';
    expect(await app.client.call('meta.ready')).toMatchObject({ ok: true, value: { value: { warning } } });
    await makeRoom();
    await app.clock.advance(10_000);
    const calm = await app.client.call('meta.ready');
    expect(calm.ok && calm.value.value).toMatchObject({ status: 'ok' });
    expect(calm.ok && calm.value.value).not.toHaveProperty('warning');
    expect(await changes['users.update']?.(world)).toMatchObject({ ok: true });
    expect((await as('owner').call('devices.list', {})).ok).toBe(true);
  });

  // API-RULE-ota-1
  it('answers devices that only ask; when they were seen is recorded when there is room', async () => {
    const world = await openWorld(await open());
    const { app, device, upToDate, ask } = world;
    const seenAt = async () => (await app.storage.hot.deviceById(device.id))?.last_seen_at;
    const before = await seenAt();
    await app.clock.advance(60_000);
    const makeRoom = await fillDatabase(app.storage);
    expect(await ask(device, upToDate)).toMatchObject({ status: 200 });
    expect(await seenAt()).toBe(before);
    await makeRoom();
    expect(await ask(device, upToDate)).toMatchObject({ status: 200 });
    expect(await seenAt()).toBe(app.clock.now());
  });

  // API-RULE-ota-10
  it('gives a device the update that it was offered; that it was fetched is recorded when there is room', async () => {
    const world = await openWorld(await open());
    const { app, product, release, deviceOn, ask, inject, states } = world;
    const device = await deviceOn(product.id);
    const offer = { status: 200, result: 'update', bundle_id: release.id };
    expect(await ask(device)).toMatchObject(offer);
    const makeRoom = await fillDatabase(app.storage);
    expect(await ask(device)).toMatchObject(offer);
    const file = () => inject(device, 'GET', `/ota/${release.id}/conf.json`);
    expect(await file()).toMatchObject({ statusCode: 200, payload: '{}' });
    expect((await states(device)).at(-1)).toBe('offered');
    await makeRoom();
    expect(await file()).toMatchObject({ statusCode: 200, payload: '{}' });
    expect((await states(device)).at(-1)).toBe('downloading');
  });

  it('is named in the log once, however many requests meet it', async () => {
    const lines: string[] = [];
    const world = await openWorld(await open(), {
      logLevel: 'error',
      logStream: { write: (line) => lines.push(line) },
    });
    await fillDatabase(world.app.storage);
    for (const call of Object.values(changes)) await call(world);
    expect(lines).toEqual([expect.stringContaining('No room is left in the database')]);
  });
});

const noRoom = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** A file store of which one operation finds no room. */
function fullAt(operation: keyof BlobStore): BlobStore & { isFull: boolean } {
  const blobs = memoryBlobs();
  const store = { ...blobs, isFull: false };
  // Safe: the operation takes what it takes, and fails in the same way.
  const inner = blobs[operation] as (...given: unknown[]) => Promise<never>;
  return Object.assign(store, {
    [operation]: (...given: unknown[]) => (store.isFull ? Promise.reject(noRoom()) : inner(...given)),
  });
}

// API-ERR-507
eachDatabase('a file store without room', (open) => {
  it('refuses every upload and says why, takes other changes, and goes on when there is room', async () => {
    const blobs = fullAt('put');
    const world = await openWorld(await open(), { blobs });
    blobs.isFull = true;
    for (const [name, call] of Object.entries(uploads)) {
      expect((await call(world)).json(), name).toMatchObject(full('file store'));
    }
    expect(await changes['users.update']?.(world)).toMatchObject({ ok: true });
    const warning = 'No room is left in the file store: changes are refused until there is';
    expect(await world.app.client.call('meta.ready')).toMatchObject({ ok: true, value: { value: { warning } } });
    blobs.isFull = false;
    for (const [name, call] of Object.entries(uploads)) expect((await call(world)).statusCode, name).toBe(200);
  });

  it('is named by readiness before any upload has met it', async () => {
    const blobs = fullAt('check');
    const { app } = await openWorld(await open(), { blobs });
    blobs.isFull = true;
    const warning = expect.stringContaining('file store');
    expect(await app.client.call('meta.ready')).toMatchObject({ ok: true, value: { value: { warning } } });
  });
});
