import { peerCredentials, peerInfo } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { clientRig, contentOf } from '../testing/client-rig.ts';
import { claimOf } from './claim.ts';

const token = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldY';

describe('provisioning', () => {
  // MOD-VAR-dms.provision.status
  test('a token is exchanged for system files that are acknowledged', async () => {
    const { module, peer, until, events } = await clientRig();
    expect(module.variables.get('dms.provision.status')).toBe(0);
    expect((await until(module.client.provision(token, 'ca text'))).ok).toBe(true);
    expect(module.variables.get('dms.provision.status')).toBe(3);
    const uuid = module.identity.uuid.toLowerCase();
    expect(peer.requests).toMatchObject([
      { method: 'POST', path: '/provision', body: { token, uuid } },
      { method: 'PUT', path: '/provision' },
    ]);
    for (const [name, text] of [
      ['device.crt', peerCredentials.certificate],
      ['device.key', peerCredentials.key],
      ['ca.pem', peerCredentials.ca],
    ] as const) {
      expect(module.flash.stat(name)).toMatchObject({ type: 0x03, flags: 0x0009 });
      expect(String(await contentOf(module, name))).toBe(text);
    }
    expect(events).toEqual([{ type: 'provisioned' }]);
  });

  test('what has been provisioned is not provisioned again', async () => {
    const { module, peer, until } = await clientRig();
    expect((await until(module.client.provision(token))).ok).toBe(true);
    peer.requests.length = 0;
    expect((await until(module.client.provision())).ok).toBe(true);
    expect(peer.requests).toEqual([]);
  });

  test('without a token there is nothing to provision with', async () => {
    const { module, until } = await clientRig();
    const error = { result: 8, message: 'There is no provisioning token' };
    expect(await until(module.client.provision())).toEqual({ ok: false, error });
  });

  test('a refused token stays held', async () => {
    const { module, peer, until } = await clientRig();
    peer.refuse('POST /provision', 403, 'The token is used up');
    const error = { result: 7, message: 'The token is used up' };
    expect(await until(module.client.provision(token))).toMatchObject({ ok: false, error });
    expect(module.client.provisionStatus).toBe(1);
    peer.answers.clear();
    expect((await until(module.client.provision())).ok).toBe(true);
  });

  test.each([
    { status: 503, calls: ['PUT /provision'] },
    { status: 403, calls: ['PUT /provision', 'POST /provision', 'PUT /provision'] },
  ])('after an acknowledgement that ended with $status the calls are $calls', async ({ status, calls }) => {
    const { module, peer, until } = await clientRig();
    peer.refuse('PUT /provision', status);
    expect((await until(module.client.provision(token))).ok).toBe(false);
    expect(module.client.provisionStatus).toBe(2);
    peer.requests.length = 0;
    if (status === 503) peer.answers.clear();
    const again = await until(module.client.provision());
    expect(again.ok).toBe(status === 503);
    expect(peer.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(calls);
    expect(module.client.provisionStatus).toBe(status === 503 ? 3 : 2);
  });
});

describe('account', () => {
  test('claiming and activating notify the watchers', async () => {
    const { module, until, events, peer } = await clientRig();
    expect((await until(module.client.claim({ username: 'ada', password: 'secret' }))).ok).toBe(true);
    expect((await until(module.client.activate('LAMP'))).ok).toBe(true);
    expect(peer.requests.map(({ body }) => body)).toEqual([
      { username: 'ada', password: 'secret' },
      { product: 'LAMP' },
    ]);
    expect(events).toEqual([
      { type: 'claimed', product: 'ACME-HARBOUR_LAMP', user: 'ada' },
      { type: 'activated', product: 'ACME-HARBOUR_LAMP', bundle: '1.0.0.2' },
    ]);
  });

  test('claiming with an activation token activates as well', async () => {
    const { module, until, events } = await clientRig();
    expect((await until(module.client.claim({ product: 'ACME-HARBOUR_LAMP', token }))).ok).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['claimed', 'activated']);
  });

  test('info and products are what the service says', async () => {
    const { module, until } = await clientRig();
    expect(await until(module.client.info())).toEqual({ ok: true, value: peerInfo });
    expect(await until(module.client.products())).toMatchObject({
      ok: true,
      value: [{ product: 'ACME-HARBOUR_LAMP' }],
    });
  });

  test.each([
    ['ada', 'secret', { username: 'ada', password: 'secret' }],
    ['ada-l@example.com', 'secret', { username: 'ada-l@example.com', password: 'secret' }],
    ['ada', token, { username: 'ada', password: token }],
    ['ACME-LAMP', token, { product: 'ACME-LAMP', token }],
    ['ACME-LAMP', `${token.slice(0, 31)}=`, { product: 'ACME-LAMP', token: `${token.slice(0, 31)}=` }],
    ['ACME-LAMP', `${token}A`, { username: 'ACME-LAMP', password: `${token}A` }],
  ])('claim %s %s is read as %j', (first, second, claim) => {
    expect(claimOf(first, second)).toEqual(claim);
  });
});

test('calls are made one after another', async () => {
  const { module, peer, until } = await clientRig();
  const done = await until(Promise.all([module.client.info(), module.client.products(), module.client.info()]));
  expect(done.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(peer.requests.map(({ path }) => path)).toEqual(['/info', '/products', '/info']);
});

test('a watcher that has unsubscribed is not notified', async () => {
  const { module, until } = await clientRig();
  const received: unknown[] = [];
  module.client.onEvent((event) => received.push(event))();
  expect((await until(module.client.activate('LAMP'))).ok).toBe(true);
  expect(received).toEqual([]);
});

describe('identity on the wire', () => {
  test('every call carries the hardware uuid, and no token when the line is secured', async () => {
    const { module, peer, until } = await clientRig();
    peer.refuse('POST /provision', 403);
    expect((await until(module.client.provision(token))).ok).toBe(false);
    expect((await until(module.client.info())).ok).toBe(true);
    for (const { headers } of peer.requests) {
      expect(headers['x-device-uuid']).toBe(module.identity.uuid.toLowerCase());
      expect(headers['x-device-token']).toBeUndefined();
    }
  });

  // Spec: API-DEV-insecure.
  test('without TLS the token goes along, also after it has done its work', async () => {
    const { module, peer, until } = await clientRig({ insecure: true });
    expect((await until(module.client.provision(token))).ok).toBe(true);
    expect(module.client.provisionStatus).toBe(3);
    expect((await until(module.client.info())).ok).toBe(true);
    expect(peer.requests.at(-1)?.headers['x-device-token']).toBe(token);
    expect(peer.requests).toHaveLength(3);
  });

  test('a module whose record is damaged boots as one without a record', async () => {
    const { store, powerOn } = await clientRig();
    const writer = await store.create('link');
    await writer.append(Buffer.from('{"installed":'));
    await writer.publish();
    const { module } = await powerOn(store);
    expect(module.client.installed()).toBeUndefined();
    expect(module.client.provisionStatus).toBe(0);
  });
});
