import type { Client, QuotaName } from '@moorage/api';
import { minuteMs, unwrap } from '@moorage/base';
import { beforeEach, describe, expect, it } from 'vitest';
import { waitingBytes } from '../../engine/db/blob-records.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { softwarePlatform } from '../devices/rules.ts';

const most = 3;
const tries = 8;
/** Where contents are kept for accounts. */
const stores = ['files of devices', 'assets', 'resources', 'avatars'] as const;
const mebibyte = 1024 * 1024;

// API-LIMIT-quotas
eachDatabase('quotas of an account', (open) => {
  let app: TestApp;
  let user: MadeUser;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  let firmware: string;
  let product: string;
  let bundle: string;
  const as = (one: MadeUser = user): Client => app.client.as(one.token);

  beforeEach(async () => {
    const counts = { quotaDevices: most, quotaProducts: most, quotaBundles: most, quotaConnectors: most };
    app = await buildApp(await open(), {
      settings: { ...counts, quotaMebibytes: 1, requestsPerMinute: 5_000, deviceInsecure: true },
    });
    user = await app.make.user();
    platform = await app.make.platform({ part_id: null, code: softwarePlatform });
    const at = { platform_id: platform.id, flavor_id: platform.flavor.id };
    firmware = (await app.make.firmware(at)).id;
    product = (await app.make.product({ ...at, user_id: user.id })).id;
    bundle = (await app.make.bundle({ product_id: product, firmware_id: firmware, user_id: user.id })).id;
  });

  const quarter = Buffer.alloc(mebibyte / 4, 'x');
  /** How one more is made, and how many there are at the beginning. */
  const ways: Readonly<
    Record<string, { name: QuotaName; has: number; more(number: number, client: Client): Promise<unknown> }>
  > = {
    devices: {
      name: 'devices',
      has: 0,
      more: (number, client) =>
        client.call('devices.provision', {
          body: { uuid: String(number).padStart(40, '0'), platform_id: platform.id },
        }),
    },
    products: {
      name: 'products',
      has: 1,
      more: (number, client) =>
        client.call('products.create', {
          body: { title: 'x', code: `NEW${number}`, meta: '', platform_id: platform.id },
        }),
    },
    bundles: {
      name: 'bundles',
      has: 1,
      more: (_, client) =>
        client.call('bundles.create', {
          params: { product_id: product },
          body: { product_id: product, firmware_id: firmware },
        }),
    },
    connectors: {
      name: 'connectors',
      has: 0,
      more: (number, client) =>
        client.call('connectors.create', {
          params: { product_id: product },
          body: { title: 'x', code: `C${number}`, opts: { url: 'https://example.com/' } },
        }),
    },
    'bytes of assets': {
      name: 'bytes',
      has: 0,
      more: (number, client) =>
        client.call('assets.upload', { params: { product_id: product, path: `${number}.bin` }, body: quarter }),
    },
    'bytes of resources': {
      name: 'bytes',
      has: 0,
      more: (number, client) =>
        client.call('bundles.addResource', {
          params: { bundle_id: bundle },
          body: { filename: `${number}.bin`, base64: quarter.toString('base64') },
        }),
    },
  };
  const quota = async (name: string, client = as()) =>
    unwrap(await client.call('users.quotas', {})).value.find((one) => one.name === name);

  describe('of many that are made at once, no more get through than are left', () => {
    it.each(Object.keys(ways))('%s', async (way) => {
      const { name, has, more } = ways[way] ?? expect.fail();
      const left = name === 'bytes' ? 4 : most - has;
      const replies = (await Promise.all(Array.from({ length: tries }, (_, number) => more(number, as())))) as {
        ok: boolean;
        error?: { status: number; body: { code: string; message: string } };
      }[];
      expect(replies.filter(({ ok }) => ok)).toHaveLength(left);
      const refused = replies.filter(({ ok }) => !ok);
      const [what, used] = name === 'bytes' ? ['1048576 bytes of files and bundles', mebibyte] : [`3 ${name}`, most];
      for (const { error } of refused) {
        expect(error).toMatchObject({ status: 403, body: { code: 'QUOTA_REACHED' } });
        expect(error?.body.message).toBe(`The account "${user.username}" may have ${what}, and has ${used}`);
      }
      expect(await quota(name)).toEqual({ name, used, limit: used });
    });
  });

  it('count for the owner of the product, whoever of its people makes more', async () => {
    const manager = await app.make.user();
    await app.make.member(product, manager.id, 'manager');
    for (const number of [0, 1, 2]) unwrap((await ways.connectors?.more(number, as(manager))) as never);
    expect(await ways.connectors?.more(3, as(manager))).toMatchObject({
      error: { body: { code: 'QUOTA_REACHED' } },
    });
    expect(await quota('connectors', as(manager))).toMatchObject({ used: 0 });
  });

  it('leave room again for what is taken away, and a file may be replaced by a smaller one', async () => {
    const path = { product_id: product, path: 'a.bin' };
    const whole = Buffer.alloc(mebibyte, 'x');
    unwrap(await as().call('assets.upload', { params: path, body: whole }));
    const other = { product_id: product, path: 'b.bin' };
    const more = () => as().call('assets.upload', { params: other, body: quarter });
    expect(await more()).toMatchObject({ error: { status: 403 } });
    unwrap(await as().call('assets.upload', { params: path, body: quarter }));
    await collected();
    expect((await more()).ok).toBe(true);
    expect(await quota('bytes')).toMatchObject({ used: mebibyte / 2 });
  });

  /** What nothing refers to any more has been collected, by the service itself. */
  const collected = async () => {
    await expect
      .poll(async () => {
        await app.clock.advance(5 * minuteMs);
        return waitingBytes(app.storage.db, user.id);
      })
      .toBe(0);
  };

  // API-LIMIT-writes
  describe('of bytes have what is replaced within minutes, until it is collected', () => {
    const mini = (at: number) => Buffer.alloc(mebibyte / 4, String(at));
    const png = (at: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), mini(at)]);
    /** A content in the place of the last one, in each store that has contents. */
    const again: Readonly<Record<(typeof stores)[number], (at: number) => Promise<{ ok: boolean }>>> = {
      async 'files of devices'(at) {
        const reply = await app.service.devices.inject({
          method: 'POST',
          url: '/files/device/a.bin',
          payload: mini(at),
          headers: { ...deviceHeaders, 'content-type': 'application/octet-stream' },
        });
        return { ok: reply.statusCode === 200 };
      },
      assets: (at) => as().call('assets.upload', { params: { product_id: product, path: 'a.bin' }, body: mini(at) }),
      async resources(at) {
        const added = await as().call('bundles.addResource', {
          params: { bundle_id: bundle },
          body: { filename: 'a.bin', base64: mini(at).toString('base64') },
        });
        if (!added.ok) return added;
        const params = { bundle_id: bundle, resource_id: added.value.value.id };
        return as().call('bundles.removeResource', { params });
      },
      async avatars(at) {
        const url = `/api/users/${user.id}/avatar`;
        const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'image/png' };
        const reply = await app.api.inject({ method: 'POST', url, payload: png(at), headers });
        return { ok: reply.statusCode === 200 };
      },
    };
    let deviceHeaders: Record<string, string>;
    beforeEach(async () => {
      await app.service.devices.ready();
      const secret = newTokenValue();
      const at = { platform_id: platform.id, product_id: platform.product_id, user_id: user.id };
      const { uuid } = await app.make.device({ ...at, provision_token_hash: hashSecret(secret) });
      deviceHeaders = { 'x-device-uuid': uuid, 'x-device-token': secret };
    });

    it.each(stores)('%s', async (store) => {
      const outcomes = [];
      for (let at = 0; at < tries; at++) outcomes.push((await again[store](at)).ok);
      // Of avatars, which do not count, the last is no content that waits.
      const letIn = outcomes.indexOf(false);
      expect([3, 4, 5]).toContain(letIn);
      expect(outcomes.slice(letIn)).toEqual(Array(tries - letIn).fill(false));
      await collected();
      expect((await again[store](tries)).ok).toBe(true);
      let count = 0;
      for await (const _ of app.blobs.list()) count++;
      expect(count).toBeLessThanOrEqual(2);
    });
  });

  it('hold for devices that are claimed: the token is not spent, the device stays free', async () => {
    await app.service.devices.ready();
    const at = { platform_id: platform.id, product_id: platform.product_id };
    for (let number = 0; number < most; number++) await app.make.device({ ...at, user_id: user.id });
    const secret = newTokenValue();
    const free = await app.make.device({ ...at, provision_token_hash: hashSecret(secret) });
    const made = unwrap(await as().call('products.addToken', { params: { product_id: product }, body: {} })).value;
    const { product: code } = unwrap(await as().call('products.get', { params: { product_id: product } })).value;
    const reply = await app.service.devices.inject({
      method: 'POST',
      url: '/claim',
      headers: { 'x-device-uuid': free.uuid, 'x-device-token': secret },
      payload: { product: code, token: made.token },
    });
    expect(reply.json()).toMatchObject({ statusCode: 403, code: 'QUOTA_REACHED' });
    const rows = await app.storage.db.selectFrom('devices').select('user_id').where('id', '=', free.id).execute();
    expect(rows).toEqual([{ user_id: null }]);
    const tokens = unwrap(await as().call('products.listTokens', { params: { product_id: product } })).value;
    expect(tokens.map(({ uses_left }) => uses_left)).toEqual([1]);
  });

  // API-EP-GET-user-quotas
  it('are none for administrators, and tell of requests in a minute', async () => {
    const admin = await app.make.admin();
    expect(unwrap(await as(admin).call('users.quotas', {})).value.map(({ limit }) => limit)).toEqual([
      null,
      null,
      null,
      null,
      null,
      5_000,
    ]);
    for (let number = 0; number <= most; number++) {
      expect(await ways.products?.more(number, as(admin))).toMatchObject({ ok: true });
    }
    expect(await quota('requests_per_minute')).toEqual({ name: 'requests_per_minute', used: null, limit: 5_000 });
  });
});
