import { dayMs, ignoreFailure } from '@moorage/base';
import { datedPairs, IdentityPeer } from '@moorage/device/testing/identity-peer';
import { beforeAll, describe, expect, test } from 'vitest';
import { channelRig } from '../testing/channel-rig.ts';
import { clientRig, contentOf } from '../testing/client-rig.ts';
import { momentsOf, type Rig, throughCut } from '../testing/power-cuts.ts';

let pairs: Awaited<ReturnType<typeof datedPairs>>;
beforeAll(async () => {
  pairs = await datedPairs([0, ...Array.from({ length: 12 }, (_, index) => (61 + index) * dayMs)]);
});

const token = 'T'.repeat(32);

/** Attaches the identity rules, and lets a module be provisioned by them. */
const provisioned = (identity: IdentityPeer) => async (rig: Pick<Rig, 'peer' | 'until' | 'module' | 'clock'>) => {
  identity.attach(rig.peer);
  expect((await rig.until(rig.module.client.provision(token))).ok).toBe(true);
};

/** A minute before a third of the 90 days is left. */
const startMs = 60 * dayMs - 60_000;
const untilDueMs = 120_000;

async function renewable() {
  const identity = new IdentityPeer(pairs);
  const rig = await clientRig({ tls: identity.tls, startMs });
  await provisioned(identity)(rig);
  const held = async () => ({
    certificate: String(await contentOf(rig.module, 'device.crt')),
    key: String(await contentOf(rig.module, 'device.key')),
  });
  const calls = () => rig.peer.requests.map(({ method, path }) => `${method} ${path}`);
  return { ...rig, identity, held, calls };
}

/** Spec: MOD-ID-renew, API-DEV-POST-certificate. */
describe('the certificate', () => {
  test('is left alone until a third of its lifetime is left', async () => {
    const { module, until, identity, held } = await renewable();
    expect((await until(module.client.info())).ok).toBe(true);
    expect(identity.renewals).toBe(0);
    expect(await held()).toEqual(pairs[0]);
  });

  test('is renewed with the next exchange after that, and only once', async () => {
    const { clock, module, until, identity, held, events, calls } = await renewable();
    await clock.advance(untilDueMs);
    expect((await until(module.client.info())).ok).toBe(true);
    expect(await held()).toEqual(pairs[1]);
    expect(calls().slice(-3)).toEqual(['GET /info', 'POST /certificate', 'PUT /provision']);
    expect(events.at(-1)).toEqual({ type: 'renewal', failed: undefined });
    expect((await until(module.client.info())).ok).toBe(true);
    expect(identity.renewals).toBe(1);
    expect(module.flash.stat('renewed.crt')).toBeUndefined();
    expect(module.flash.stat('renewed.key')).toBeUndefined();
    for (const name of ['device.crt', 'device.key']) expect(module.flash.stat(name)?.flags).toBe(0x0009);
  });

  /** Why the service may refuse a query, and whether it takes the identity all the same. */
  test.each([
    [404, 'NOT_FOUND', true],
    [403, 'DEVICE_UNCLAIMED', true],
    [503, 'BUSY', true],
    [403, 'DEVICE_DISABLED', false],
    [403, 'CERTIFICATE_REPLACED', false],
  ])('is renewed with a request that is refused with %i %s: %s', async (status, code, isRenewed) => {
    const { clock, module, until, peer, identity, held } = await renewable();
    await clock.advance(untilDueMs);
    peer.refuse('POST /ota', status, 'Refused', code);
    expect(await until(module.client.update())).toMatchObject({ ok: false, error: { message: 'Refused' } });
    expect(identity.renewals).toBe(isRenewed ? 1 : 0);
    expect(await held()).toEqual(pairs[isRenewed ? 1 : 0]);
  });

  test('is not asked for when the network has failed, and then with the next request', async () => {
    const { clock, module, until, identity, cutEach } = await renewable();
    await clock.advance(untilDueMs);
    cutEach((index) => (index === 0 ? { cutAfterBytes: 0 } : {}));
    expect((await until(module.client.update())).ok).toBe(false);
    expect(identity.renewals).toBe(0);
    ignoreFailure(await until(module.client.update()));
    expect(identity.renewals).toBe(1);
  });

  // Of a day: it begins a day before it is made.
  test('that lives for a day is renewed each time before it ends', async () => {
    const lifetimeMs = 2 * dayMs;
    const issuedAtMs = [0, 12, 24, 36, 48].map((hours) => hours * 3_600_000 - dayMs);
    const identity = new IdentityPeer(await datedPairs(issuedAtMs, lifetimeMs));
    const rig = await clientRig({ tls: identity.tls, startMs: 0 });
    await provisioned(identity)(rig);
    for (let renewals = 1; renewals <= 4; renewals++) {
      await rig.clock.advance(dayMs / 2);
      expect((await rig.until(rig.module.client.info())).ok).toBe(true);
      expect(identity.renewals).toBe(renewals);
    }
  });

  test('that is renewed does not keep the exchange from what it was for', async () => {
    const { clock, module, until, peer, events } = await renewable();
    await clock.advance(untilDueMs);
    peer.refuse('POST /certificate', 403, 'Not now');
    const { guard } = peer;
    peer.guard = (call) => (call === 'POST /certificate' ? undefined : guard(call));
    expect((await until(module.client.info())).ok).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'renewal', failed: { result: 7, message: 'Not now' } });
    // It is not asked for again with every exchange, but after an hour.
    const renewals = () => peer.requests.filter(({ path }) => path === '/certificate').length;
    expect((await until(module.client.info())).ok).toBe(true);
    expect(renewals()).toBe(1);
    await clock.advance(3_600_000);
    expect((await until(module.client.info())).ok).toBe(true);
    expect(renewals()).toBe(2);
  });

  test('is not renewed by a module without room in its flash, which stays as it is', async () => {
    const { clock, module, until, held, events } = await renewable();
    await clock.advance(untilDueMs);
    for (let index = 0; ; index++) {
      const made = await module.execute(`file_create filler${index}.txt 1`, Buffer.from('x'));
      if (made.code !== 0) break;
    }
    expect((await until(module.client.info())).ok).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'renewal', failed: { result: 3 } });
    expect(await held()).toEqual(pairs[0]);
    expect(module.flash.stat('renewed.key')).toBeUndefined();
  });

  test('of a device that is disabled between the steps is kept until it is enabled again', async () => {
    const { clock, module, until, identity, held, peer } = await renewable();
    await clock.advance(untilDueMs);
    const { guard } = peer;
    peer.guard = (call) => {
      const answer = guard(call);
      // The acknowledgement is done, and its answer is a refusal: as if the reply had been lost to a disabled device.
      if (call === 'PUT /provision') identity.disabled = true;
      return identity.disabled ? { status: 403, body: { message: 'The device is disabled' } } : answer;
    };
    expect((await until(module.client.info())).ok).toBe(true);
    expect(await until(module.client.info())).toMatchObject({ ok: false, error: { result: 7 } });
    identity.disabled = false;
    peer.guard = guard;
    expect((await until(module.client.info())).ok).toBe(true);
    expect(await held()).toEqual(identity.current);
  });

  test('is renewed by a module on the message channel, which then shows the new one', async () => {
    const identity = new IdentityPeer(pairs);
    const rig = await channelRig({ 'dms.cmd.enabled': '1' }, { tls: identity.tls, startMs: 59.7 * dayMs });
    await provisioned(identity)(rig);
    expect(rig.channel.requests).toHaveLength(1);
    await rig.clock.advance(0.6 * dayMs);
    expect(identity.renewals).toBe(1);
    expect(rig.channel.requests).toHaveLength(2);
    expect(rig.channel.isOpen).toBe(true);
    expect(rig.channel.ends).toEqual([1000]);
  });
});

describe('a renewal that is disturbed', () => {
  test('by a power cut at any store operation leaves an identity that the service takes', async () => {
    const act = async ({ clock, until, module }: Rig) => {
      await clock.advance(untilDueMs);
      return until(module.client.info());
    };
    const sceneOf = (identity: IdentityPeer) => ({
      options: { tls: identity.tls, startMs },
      prepare: provisioned(identity),
    });
    const moments = await momentsOf(act, sceneOf(new IdentityPeer(pairs)));
    expect(moments.length).toBeGreaterThan(20);
    for (const cut of moments) {
      const identity = new IdentityPeer(pairs);
      const { module, until } = await throughCut(cut, act, sceneOf(identity));
      const at = JSON.stringify(cut);
      expect(await until(module.client.info()), at).toMatchObject({ ok: true });
      expect(await until(module.client.info()), at).toMatchObject({ ok: true });
      expect(identity.renewals, at).toBeGreaterThanOrEqual(1);
      expect(String(await contentOf(module, 'device.crt')), at).toBe(identity.current?.certificate);
      expect(String(await contentOf(module, 'device.key')), at).toBe(identity.current?.key);
      expect(module.flash.stat('renewed.crt'), at).toBeUndefined();
    }
  });

  test('by a network cut after any bytes in either direction completes with a later exchange', async () => {
    for (const way of ['cutAfterBytes', 'cutAfterSentBytes'] as const) {
      for (let dial = 0; dial < 3; dial++) {
        for (let bytes = 0; bytes < 1600; bytes += 90) {
          const { clock, module, until, identity, held, cutEach } = await renewable();
          await clock.advance(untilDueMs);
          cutEach((index) => (index === dial ? { [way]: bytes } : {}));
          const at = `${way} ${bytes} of dial ${dial}`;
          for (let exchange = 0; exchange < 2; exchange++) {
            ignoreFailure(await until(module.client.info()));
            await clock.advance(3_600_000);
          }
          cutEach(() => ({}));
          expect(await until(module.client.info()), at).toMatchObject({ ok: true });
          expect(await held(), at).toEqual(identity.current);
          expect(identity.renewals, at).toBeGreaterThanOrEqual(1);
        }
      }
    }
  });
});
