import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { keysLimit, waitingLimit, waitingOfAddressLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { networkShare, networksOf } from '../../engine/http/client-address.ts';
import { outcome } from '../../testing/device-world.ts';
import { type DoorWorld, doorWorld } from '../../testing/door-world.ts';
import { eachDatabase } from '../../testing/index.ts';

eachDatabase('doors', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  const waitingOf = async (product_id: string) => {
    const reply = await world.api.call('doors.waiting', { params: { product_id } });
    if (!reply.ok) throw new Error(reply.error.body.message);
    return reply.value.value;
  };

  // API-EP-GET-products-product_id-doors, API-EP-PUT-products-product_id-doors, API-DOOR-open
  it('a product is closed until its people open it', async () => {
    const product = await world.app.make.product({ platform_id: world.platform.id, user_id: world.owner.id });
    const params = { product_id: product.id };
    const doors = async () => {
      const reply = await world.api.call('doors.get', { params });
      return reply.ok && reply.value.value;
    };
    const rules = { consent: false, version_attribute: null, probation_s: null };
    expect(await doors()).toEqual({ ddi: false, mender: false, waiting: false, ...rules });
    unwrap(await world.api.call('doors.set', { params, body: { ddi: true, mender: false, waiting: true } }));
    expect(await doors()).toEqual({ ddi: true, mender: false, waiting: true, ...rules });
  });

  // API-EP-POST-products-product_id-door-tokens, API-EP-GET-products-product_id-door-tokens, API-DOOR-token
  it('the value of a token is shown once', async () => {
    const { product, tokenOf } = await world.openProduct();
    const { token, id } = await tokenOf('ddi');
    const list = await world.api.call('doors.tokens', { params: { product_id: product.id } });
    expect(list.ok && list.value.value).toMatchObject([{ id, token: token.slice(-4), last_used_at: null }]);
    expect(
      await world.app.storage.db.selectFrom('door_tokens').select('token_hash').where('id', '=', id).execute(),
    ).not.toEqual([{ token_hash: token }]);
    // API-EP-DELETE-products-product_id-door-tokens-token_id
    const gone = { product_id: product.id, token_id: id };
    expect((await world.api.call('doors.removeToken', { params: gone })).ok).toBe(true);
    expect((await world.api.call('doors.removeToken', { params: gone })).ok).toBe(false);
  });

  // API-LIMIT-door-tokens
  it('a product has a hundred tokens at most', async () => {
    const { product, tokenOf } = await world.openProduct();
    for (let count = 0; count < 100; count++) await tokenOf('ddi');
    const one = { params: { product_id: product.id }, body: { door: 'ddi', title: 'x' } } as const;
    expect(await world.api.call('doors.addToken', one)).toMatchObject({ ok: false, error: { status: 409 } });
  });

  // API-EP-POST-products-product_id-door-devices, API-EP-POST-devices-device_id-door-token
  it('a device that is made has a token of its own, which is replaced and revoked', async () => {
    const { product } = await world.openProduct();
    const params = { product_id: product.id };
    const body = { door: 'ddi', name: 'gate-1' } as const;
    const made = await world.api.call('doors.addDevice', { params, body });
    if (!made.ok) throw new Error(made.error.body.message);
    const { device_id, token } = made.value.value;
    const status = async (of: string) => (await world.ddiClient('gate-1', `TargetToken ${of}`).poll()).status;
    expect(await status(token)).toBe(200);
    // It is good for this device alone.
    expect((await world.ddiClient('gate-2', `TargetToken ${token}`).poll()).status).toBe(401);
    expect(await world.api.call('doors.addDevice', { params, body })).toMatchObject({
      ok: false,
      error: { status: 409 },
    });
    const renewed = await world.api.call('doors.renewDevice', { params: { device_id } });
    if (!renewed.ok) throw new Error(renewed.error.body.message);
    expect([await status(token), await status(renewed.value.value.token)]).toEqual([401, 200]);
    // API-EP-DELETE-devices-device_id-door-token
    expect((await world.api.call('doors.revokeDevice', { params: { device_id } })).ok).toBe(true);
    expect(await status(renewed.value.value.token)).toBe(401);
  });

  // API-EP-GET-products-product_id-waiting, API-EP-POST-products-product_id-waiting, API-DOOR-waiting
  it('a stranger that names the product waits until it is let in', async () => {
    const { product } = await world.openProduct({ waiting: true });
    const client = world.ddiClient('stranger', 'TargetToken its-own', product.product);
    expect((await client.poll()).status).toBe(401);
    await world.app.clock.advance(120_000);
    expect((await client.poll()).status).toBe(401);
    // Those that name no product are not noted.
    await world.ddiClient('nobody', 'TargetToken its-own').poll();
    const [one, ...others] = await waitingOf(product.id);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ name: 'stranger', door: 'ddi', last_at: String(world.app.clock.now()) });
    const params = { product_id: product.id };
    const decided = await world.api.call('doors.decide', { params, body: { accept: true, ids: [one?.id ?? ''] } });
    expect(decided.ok && decided.value.value).toEqual({ done: 1, refused: [] });
    expect((await client.poll()).status).toBe(200);
    expect(await waitingOf(product.id)).toEqual([]);
  });

  // API-LIMIT-waiting
  it('as many strangers wait for a product as it may have', async () => {
    const { product } = await world.openProduct({ waiting: true });
    const { db } = world.app.storage;
    const row = { product_id: product.id, door: 'ddi', secret_hash: '', ip: null, first_at: 1, last_at: 1 } as const;
    for (let at = 0; at < waitingLimit - 1; at += 1_000) {
      const count = Math.min(1_000, waitingLimit - 1 - at);
      const rows = Array.from({ length: count }, (_, index) => ({ ...row, id: randomUUID(), name: `w${at + index}` }));
      await db.insertInto('door_waiting').values(rows).execute();
    }
    const names = async () => {
      const found = db.selectFrom('door_waiting').select('name').where('product_id', '=', product.id);
      return (await found.where('name', 'like', 'late-%').execute()).map(({ name }) => name);
    };
    for (const name of ['late-1', 'late-2']) await world.ddiClient(name, 'TargetToken x', product.product).poll();
    expect(await names()).toEqual(['late-1']);
  });

  it('strangers of one network fill no list for others', async () => {
    const { product } = await world.openProduct({ waiting: true });
    const { db } = world.app.storage;
    const row = { product_id: product.id, door: 'ddi', secret_hash: '', ip: null, first_at: 1, last_at: 1 } as const;
    const from = async (ip: string, count: number) => {
      const { address: from_address, network: from_network } = networksOf(ip);
      const one = { ...row, from_address, from_network };
      const rows = Array.from({ length: count }, () => ({ ...one, id: randomUUID(), name: randomUUID() }));
      for (let at = 0; at < count; at += 500)
        await db
          .insertInto('door_waiting')
          .values(rows.slice(at, at + 500))
          .execute();
    };
    await from('2001:db8:1:1::1', waitingOfAddressLimit - 1);
    const headers = { authorization: 'TargetToken x' };
    const poll = (name: string, remoteAddress: string) =>
      world.app.service.devices.inject({
        url: `/${product.product}/controller/v1/${name}`,
        headers,
        remoteAddress,
      });
    await poll('near-1', '2001:db8:1:1::2');
    await poll('near-2', '2001:db8:1:1::3');
    await from('2001:db8:1:2::1', waitingOfAddressLimit * networkShare - waitingOfAddressLimit - 1);
    await poll('beside-1', '2001:db8:1:3::1');
    await poll('beside-2', '2001:db8:1:4::1');
    await poll('elsewhere', '2001:db8:2:1::1');
    const found = await db
      .selectFrom('door_waiting')
      .select('name')
      .where('product_id', '=', product.id)
      .where('ip', 'is not', null)
      .execute();
    expect(found.map(({ name }) => name).toSorted()).toEqual(['beside-1', 'elsewhere', 'near-1']);
  });

  // API-LIMIT-door-keys
  it('as many keys are accepted beforehand as a product and a call may have', async () => {
    const { product } = await world.openProduct();
    const { db } = world.app.storage;
    const row = { product_id: product.id, user_id: null, created_at: 1 };
    for (let at = 0; at < keysLimit - 1; at += 2_000) {
      const count = Math.min(2_000, keysLimit - 1 - at);
      const rows = Array.from({ length: count }, (_, index) => ({
        ...row,
        id: randomUUID(),
        name: `k${at + index}`,
        key_hash: `${at + index}`,
      }));
      await db.insertInto('door_keys').values(rows).execute();
    }
    const { publicKey } = generateKeyPairSync('ed25519');
    const key = String(publicKey.export({ type: 'spki', format: 'pem' }));
    const add = async (names: readonly string[]) => {
      const body = { keys: names.map((name) => ({ name, key })) };
      return outcome(await world.api.call('doors.addKeys', { params: { product_id: product.id }, body }));
    };
    expect(await add(['late-1'])).toBe('ok');
    expect(await add(['late-2'])).toBe('LIMIT_REACHED');
    expect(await add(Array.from({ length: 10_001 }, (_, index) => `n${index}`))).toBe('INVALID_REQUEST');
  });

  it('a stranger with the name of a device cannot take its place', async () => {
    const { product } = await world.openProduct({ waiting: true });
    const params = { product_id: product.id };
    unwrap(await world.api.call('doors.addDevice', { params, body: { door: 'ddi', name: 'gate-7' } }));
    const thief = world.ddiClient('gate-7', 'TargetToken another', product.product);
    await thief.poll();
    const decided = await world.api.call('doors.decide', { params, body: { accept: true } });
    expect(decided.ok && decided.value.value).toMatchObject({ done: 0, refused: [{ code: 'DUPLICATE' }] });
    expect((await thief.poll()).status).toBe(401);
    unwrap(await world.api.call('doors.decide', { params, body: { accept: false } }));
    expect(await waitingOf(product.id)).toEqual([]);
  });

  it('where strangers do not wait, none is noted', async () => {
    const { product } = await world.openProduct();
    await world.ddiClient('stranger', 'TargetToken x', product.product).poll();
    expect(await waitingOf(product.id)).toEqual([]);
  });

  it('all that wait are let in, in parts', async () => {
    const { product } = await world.openProduct({ waiting: true });
    for (let count = 0; count < 501; count++) {
      await world.ddiClient(`many-${count}`, `TargetToken t${count}`, product.product).poll();
    }
    const params = { product_id: product.id };
    const decided = await world.api.call('doors.decide', { params, body: { accept: true } });
    expect(decided.ok && decided.value.value).toEqual({ done: 501, refused: [] });
    expect((await world.ddiClient('many-500', 'TargetToken t500').poll()).status).toBe(200);
  });

  // API-EP-POST-bundles-bundle_id-artifacts-name, API-LIMIT-artifact
  it('an image is streamed to its bundle, and its check sums are those of its bytes', async () => {
    const { product } = await world.openProduct();
    const flavor = world.platform.flavor.id;
    const firmware = await world.app.make.firmware({ platform_id: world.platform.id, flavor_id: flavor });
    const of = { product_id: product.id, firmware_id: firmware.id, user_id: world.owner.id };
    const bundle = await world.app.make.bundle(of);
    const upload = () =>
      world.app.api.inject({
        method: 'POST',
        url: `/api/bundles/${bundle.id}/artifacts/boot/loader.bin`,
        headers: { authorization: `Bearer ${world.owner.token}`, 'content-type': 'application/octet-stream' },
        payload: Buffer.from('abc'),
      });
    expect((await upload()).json()).toMatchObject({
      size: 3,
      sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
      md5: '900150983cd24fb0d6963f7d28e17f72',
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
    expect((await upload()).statusCode).toBe(409);
    const detail = await world.api.call('bundles.get', { params: { bundle_id: bundle.id } });
    expect(detail.ok && detail.value.value.resources).toMatchObject([{ filename: 'boot/loader.bin', size: 3 }]);
  });
});
