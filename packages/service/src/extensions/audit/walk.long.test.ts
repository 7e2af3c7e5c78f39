import { callUrl, contract, endpointsOf } from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { auditedActions } from '../../testing/audited.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { inputs, openScene, paramsOf } from '../../testing/spelling-scene.ts';
import { notAudited } from './rules.ts';

const exempt: Readonly<Record<string, string>> = notAudited;

/** Calls of a scene that go before, so that there is something to change. */
const first: Readonly<Record<string, string>> = {
  'rollouts.unpin': 'rollouts.pin',
  'rollouts.thaw': 'rollouts.freeze',
  'devices.certificates': 'devices.renewToken',
};

/** What is sent where that of the scene is refused. */
const others: typeof inputs = {
  'customers.create': ({ freshCode }) => ({ body: { name: freshCode } }),
  'bundles.setState': ({ draft }) => ({ params: { bundle_id: draft }, body: { state: 'published' } }),
  'rollouts.act': () => ({ body: { action: 'start' } }),
  // Nothing runs on it.
  'products.setState': ({ published }) => ({ params: { product_id: published }, body: { state: 'trash' } }),
};

/** Calls that need more than a scene; `audit.test.ts` makes them, or what is named. */
const elsewhere: Readonly<Record<string, string>> = {
  'auth.login': 'audit.test.ts',
  'auth.signup': 'audit.test.ts',
  'session.open': 'audit.test.ts',
  'session.signup': 'audit.test.ts',
  'session.changePassword': 'audit.test.ts',
  'identity.retire': 'identity/rotation.test.ts',
  'products.remove': 'audit.test.ts',
  'rollouts.retry': 'rollouts/outcomes.test.ts',
  'rollouts.signal': 'rollouts/times.test.ts',
  'factors.confirmTotp': 'audit.test.ts',
  'factors.removeTotp': 'audit.test.ts',
  'factors.login': 'audit.test.ts',
  'factors.open': 'audit.test.ts',
  'passkeys.open': 'auth/passkeys.test.ts',
  'passkeys.add': 'auth/passkeys.test.ts',
  'rehearsals.start': 'rollouts/rehearsals.test.ts',
  'links.reset': 'audit.test.ts',
  'links.confirm': 'audit.test.ts',
  'links.undo': 'audit.test.ts',
  'links.askConfirmation': 'audit.test.ts',
  'sso.finish': 'auth/sso.test.ts',
  'channel.command': 'channel/channel.test.ts',
};

const changes = endpointsOf(contract).filter(({ shape }) => shape.method !== 'GET');

// API-RULE-audit-1
eachDatabase('every change', (open) => {
  it('leaves exactly one row when it succeeds, and none when it is refused', async () => {
    const app = await buildApp(await open());
    const { id: software } = await app.make.platform();
    const wrong: string[] = [];
    const untried: string[] = [];
    for (const { name, shape } of changes) {
      if (shape.auth !== 'bearer' && exempt[name] === undefined) {
        untried.push(name);
        continue;
      }
      // Each on things of its own: many take away what others need.
      const scene = await openScene(app, software);
      const send = (called: string, token: string) => {
        // Safe: there is such an endpoint.
        const { shape } = changes.find((one) => one.name === called) as (typeof changes)[number];
        const { params, body } = { params: {}, body: undefined, ...(others[called] ?? inputs[called])?.(scene) };
        return app.api.inject({
          // Safe: only the contract's methods.
          method: shape.method as NonNullable<InjectOptions['method']>,
          url: callUrl(shape, { params: { ...paramsOf(scene), ...params } as Record<string, string> }),
          headers: { authorization: `Bearer ${token}`, ...(Buffer.isBuffer(body) && { 'content-type': 'image/png' }) },
          ...(body !== undefined && { payload: body as object }),
        });
      };
      if (first[name] !== undefined) expect((await send(first[name], scene.caller.token)).statusCode).toBe(200);
      await app.storage.db.deleteFrom('audit_queue').execute();
      const stranger = await app.make.user();
      const tried = [await send(name, stranger.token), await send(name, scene.caller.token)];
      const succeeded = tried.filter(({ statusCode }) => statusCode < 400).length;
      const wanted =
        exempt[name] !== undefined || name === 'manyDevices.import'
          ? []
          : Array.from({ length: succeeded }, () => name);
      const found = await auditedActions(app.storage);
      if (found.join() !== wanted.join()) wrong.push(`${name}: ${found.join()} instead of ${wanted.join()}`);
      if (succeeded === 0) untried.push(name);
    }
    expect(wrong).toEqual([]);
    expect(untried.filter((name) => exempt[name] === undefined).sort()).toEqual(Object.keys(elsewhere).sort());
  }, 300_000);

  it('is exempt only where there is such a call, which is no GET', () => {
    expect(Object.keys(notAudited).filter((name) => !changes.some((one) => one.name === name))).toEqual([]);
  });
});
