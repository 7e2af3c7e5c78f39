import { type Audit, callUrl, contract, type EndpointShape, endpointsOf } from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import type { Values } from '../../testing/access-scene.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { type Input, inputOf, openScene, paramsOf, type Scene } from '../../testing/spelling-scene.ts';

/** Calls of a scene that go before, so that there is something to change. */
const first: Readonly<Record<string, string>> = {
  'rollouts.unpin': 'rollouts.pin',
  'rollouts.thaw': 'rollouts.freeze',
  'devices.certificates': 'devices.renewToken',
};

/** What is sent where that of the scene is refused. */
const others: Readonly<Record<string, (scene: Scene) => Input>> = {
  'customers.create': ({ freshCode }) => ({ body: { name: freshCode } }),
  'bundles.setState': ({ draft }) => ({ params: { bundle_id: draft }, body: { state: 'published' } }),
  'rollouts.act': () => ({ body: { action: 'start' } }),
  // Nothing runs on it.
  'products.setState': ({ published }) => ({ params: { product_id: published }, body: { state: 'trash' } }),
};

const inputFor = (name: string, shape: EndpointShape, scene: Scene): Input =>
  others[name]?.(scene) ?? inputOf(name, shape, scene);

/** Calls that need more than a scene; `audit.test.ts` makes them, or what is named. */
const elsewhere: Readonly<Record<string, string>> = {
  'auth.login': 'audit.test.ts',
  'auth.signup': 'audit.test.ts',
  'session.open': 'audit.test.ts',
  'session.signup': 'audit.test.ts',
  'session.changePassword': 'audit.test.ts',
  'identity.retire': 'identity/rotation.test.ts',
  'products.remove': 'audit.test.ts',
  'rollouts.leaveOut': 'rollouts/world.test.ts',
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

const isExempt = ({ audit }: EndpointShape): boolean => audit !== undefined && 'none' in audit;

/** What a row of the audit has to be about: what the entry declares, read from the request and the reply. */
function objectOf(audit: Exclude<Audit, { none: string }>, params: Values, callerId: string, reply: object): unknown {
  const { what, id } = audit;
  if (id === 'logged') return undefined;
  // The id of what is made is in the reply, whatever the field is called there.
  if (id === 'made') return [what, Object.values(reply)];
  return [what, [id === 'caller' ? callerId : (id && params[id.slice('params.'.length)]) || null]];
}

// API-RULE-audit-1
eachDatabase('every change', (open) => {
  it('leaves exactly one row when it succeeds, about what its entry says, and none when it is refused', async () => {
    const app = await buildApp(await open());
    const { id: software } = await app.make.platform();
    const wrong: string[] = [];
    const untried: string[] = [];
    for (const { name, shape } of changes) {
      if (shape.auth !== 'bearer' && !isExempt(shape)) {
        untried.push(name);
        continue;
      }
      // Each on things of its own: many take away what others need.
      const scene = await openScene(app, software);
      const send = (called: string, token: string, named: Values = {}) => {
        // Safe: there is such an endpoint.
        const { shape } = changes.find((one) => one.name === called) as (typeof changes)[number];
        const { params, body } = { params: {}, body: undefined, ...inputFor(called, shape, scene) };
        return app.api.inject({
          // Safe: only the contract's methods.
          method: shape.method as NonNullable<InjectOptions['method']>,
          url: callUrl(shape, { params: { ...paramsOf(scene), ...params, ...named } as Record<string, string> }),
          headers: { authorization: `Bearer ${token}`, ...(Buffer.isBuffer(body) && { 'content-type': 'image/png' }) },
          ...(body !== undefined && { payload: body as object }),
        });
      };
      if (first[name] !== undefined) expect((await send(first[name], scene.caller.token)).statusCode).toBe(200);
      await app.storage.db.deleteFrom('audit_queue').execute();
      const stranger = await app.make.user();
      // A device by another of its names: the row has its id.
      const tried = [
        await send(name, stranger.token),
        await send(name, scene.caller.token, { device_id: scene.uuid }),
      ] as const;
      const succeeded = tried.filter(({ statusCode }) => statusCode < 400);
      const wanted =
        isExempt(shape) || name === 'manyDevices.import' ? [] : Array.from({ length: succeeded.length }, () => name);
      const rows = await app.storage.db.selectFrom('audit_queue').selectAll().orderBy('id').execute();
      const found = rows.map(({ action }) => action);
      if (found.join() !== wanted.join()) wrong.push(`${name}: ${found.join()} instead of ${wanted.join()}`);
      const row = rows.at(-1);
      if (row && shape.audit && 'what' in shape.audit && tried[1].statusCode < 400) {
        const params = { ...paramsOf(scene), ...inputFor(name, shape, scene).params };
        const reply = /json/.test(String(tried[1].headers['content-type'])) ? tried[1].json() : {};
        const object = objectOf(shape.audit, params, scene.caller.id, reply);
        if (object !== undefined)
          expect([name, object]).toEqual([name, [row.object_kind, expect.arrayContaining([row.object_id])]]);
      }
      if (succeeded.length === 0) untried.push(name);
    }
    expect(wrong).toEqual([]);
    const exempt = new Set(changes.filter(({ shape }) => isExempt(shape)).map(({ name }) => name));
    expect(untried.filter((name) => !exempt.has(name)).sort()).toEqual(Object.keys(elsewhere).sort());
  }, 300_000);
});
