import type { AlertCondition, ConnectorRecord } from '@moorage/api';
import { minuteMs, unwrap } from '@moorage/base';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../engine/db/storage.ts';
import { outcome } from '../../testing/device-world.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';
import { judge, removeOldAlerts } from './engine.ts';

eachDatabase('alerts', (open) => {
  let storage: Storage;
  let scene: ProductScene;
  let network: ReturnType<typeof fakeOutbound>;
  let hook: ConnectorRecord;
  let product_id: string;

  beforeEach(async () => {
    storage = await open();
    network = fakeOutbound();
    scene = await productScene(storage, { outbound: network.outbound });
    product_id = (await scene.add()).id;
    const body = { title: 'T', code: 'HOOK', opts: { url: 'https://example.com/hook' } };
    hook = unwrap(await owner().call('connectors.create', { params: { product_id }, body })).value;
  });

  const owner = () => scene.as('owner');
  const addRule = async (condition: AlertCondition, more: object = {}) => {
    const body = { title: 'Dark', condition, connectors: [hook.id], ...more };
    return unwrap(await owner().call('alerts.createRule', { params: { product_id }, body })).value;
  };
  const clock = () => scene.app.clock;
  const seen = async (id: string, atMs = clock().now()) =>
    storage.db.updateTable('devices').set({ last_seen_at: atMs, state: 'active' }).where('id', '=', id).execute();
  /** A device of the product that was seen so many minutes ago. */
  const device = async (minutesAgo = 0) => {
    const made = await scene.occupy(product_id);
    await seen(made.id, clock().now() - minutesAgo * minuteMs);
    return made;
  };
  /** Minutes go on, without the background: the rule is looked at when they are over. */
  const look = async (rule: { readonly id: string }, minutes = 0) => {
    await clock().advance(minutes * minuteMs);
    await judge(scene.app.service.deps, rule.id);
  };
  const alerts = async (query: object = {}) => unwrap(await owner().call('alerts.list', { query })).value;
  const told = async () =>
    (
      await storage.db
        .selectFrom('logs')
        .select(['type', 'message'])
        .where('type', 'in', ['alert.raise', 'alert.grow', 'alert.clear'])
        .orderBy('created_at')
        .execute()
    ).map(({ type, message }) => `${type} ${message}`);

  // API-RULE-alert-1, API-RULE-alert-2, API-RULE-alert-3, API-EP-GET-alerts, API-EP-GET-alerts-alert_id-devices
  it('a site that goes dark is one alert and one message, and so is its return', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const devices = [await device(10), await device(9), await device(6)];
    await device(-60);
    await look(rule);
    expect(await alerts()).toMatchObject([{ state: 'open', devices: 1, devices_open: 1, rule: 'Dark' }]);
    expect(await told()).toEqual([]);
    await look(rule, 1);
    expect(await told()).toEqual(['alert.raise Alert "Dark": 2 devices: not heard from for longer than 10 minutes']);
    await look(rule, 3);
    const [alert] = await alerts({ state: 'open' });
    expect(alert).toMatchObject({ devices: 3, devices_open: 3 });
    expect(await told()).toHaveLength(1);
    const params = { alert_id: alert?.id ?? '' };
    const listed = unwrap(await owner().call('alerts.devices', { params })).value;
    expect(listed.map(({ device_id }) => device_id).toSorted()).toEqual(devices.map(({ id }) => id).toSorted());
    for (const { id } of devices) await seen(id);
    await look(rule);
    expect(await alerts()).toMatchObject([{ state: 'over', devices: 3, devices_open: 0 }]);
    expect(await told()).toEqual([
      expect.stringContaining('alert.raise'),
      'alert.clear Alert "Dark" is over: 3 devices: not heard from for longer than 10 minutes',
    ]);
    await look(rule, 1);
    expect(await told()).toHaveLength(2);
  });

  it('who is on the message channel is not offline, and neither is what is blocked or was never seen', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const [online, blocked] = [await device(60), await device(60)];
    await storage.db.insertInto('processes').values({ id: 'p', seen_at: 1, beats: 0 }).execute();
    const at = { session: 'x', address: '::1', connected_at: 1 };
    await storage.db
      .insertInto('channels')
      .values({ device_id: online.id, process_id: 'p', ...at })
      .execute();
    await storage.db.updateTable('devices').set({ state: 'disabled' }).where('id', '=', blocked.id).execute();
    await scene.occupy(product_id);
    await look(rule);
    expect(await alerts()).toEqual([]);
  });

  it('what is over within the first minute is not told', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const { id } = await device(20);
    await look(rule);
    await seen(id);
    await look(rule, 1);
    expect(await alerts()).toMatchObject([{ state: 'over' }]);
    expect(await told()).toEqual([]);
  });

  it('ten times as many are told again, unless somebody looks after it', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 }, { gather_minutes: 60 });
    await device(20);
    await look(rule);
    await look(rule, 1);
    for (let number = 0; number < 9; number++) await device(20);
    await look(rule);
    expect((await told()).map((text) => text.split(' ')[0]).toSorted()).toEqual(['alert.grow', 'alert.raise']);
    const [alert] = await alerts({ unseen: true });
    const params = { alert_id: alert?.id ?? '' };
    // API-EP-POST-alerts-alert_id-acknowledge
    const taken = unwrap(await owner().call('alerts.acknowledge', { params })).value;
    expect(taken.acknowledged_at).toBe(String(clock().now()));
    expect(taken.acknowledged_by).not.toBeNull();
    expect(await alerts({ unseen: true })).toEqual([]);
    for (let number = 0; number < 90; number++) await device(20);
    await look(rule);
    expect(await told()).toHaveLength(2);
  });

  // API-EP-POST-alert-rules-rule_id-silence
  it('a silent rule records and says nothing; afterwards it says what is still open', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const params = { rule_id: rule.id };
    const until = clock().now() + 30 * minuteMs;
    unwrap(await owner().call('alerts.silence', { params, body: { until } }));
    await device(20);
    await look(rule);
    await look(rule, 5);
    expect(await alerts()).toMatchObject([{ state: 'open', silenced_until: String(until) }]);
    expect(await alerts({ unseen: true })).toEqual([]);
    expect(await told()).toEqual([]);
    await look(rule, 25);
    expect(await told()).toHaveLength(1);
    expect(await alerts({ unseen: true })).toHaveLength(1);
  });

  it('a failed update is an alert until the next one goes on, and one from before the rule is none', async () => {
    const [old, fresh] = [await device(), await device()];
    const fail = (id: string) =>
      scene.app.make
        .update({ device_id: id, product_id, state: 'failed', finished_at: clock().now() })
        .then(async ({ id: update_id }) => {
          await storage.db.updateTable('devices').set({ update_id }).where('id', '=', id).execute();
          return update_id;
        });
    await fail(old.id);
    await clock().advance(minuteMs);
    const rule = await addRule({ kind: 'update_failed' });
    const update = await fail(fresh.id);
    await look(rule);
    expect(await alerts()).toMatchObject([{ devices_open: 1, text: 'the last update failed' }]);
    await storage.db.updateTable('updates').set({ state: 'done' }).where('id', '=', update).execute();
    await look(rule);
    expect(await alerts()).toMatchObject([{ state: 'over' }]);
  });

  describe('of a stream', () => {
    const nowMs = () => clock().now();
    async function sampled(...samples: readonly (readonly [minutesAgo: number, value: number])[]) {
      const { id } = await device();
      const row = { device_id: id, name: 'level' };
      const { id: stream_id } = await storage.db
        .insertInto('streams')
        .values(row)
        .returning('id')
        .executeTakeFirstOrThrow();
      const values = samples.map(([ago, number], seq) => ({
        stream_id,
        at: nowMs() - ago * minuteMs,
        seq,
        number,
        text: null,
      }));
      await storage.db.insertInto('samples').values(values).execute();
      return id;
    }
    it.each([
      [
        'above all the time',
        [
          [20, 9],
          [5, 8],
        ],
        1,
      ],
      ['above since before, and silent', [[20, 9]], 1],
      ['above for too short a time', [[5, 9]], 0],
      [
        'well in between',
        [
          [20, 9],
          [5, 1],
          [1, 9],
        ],
        0,
      ],
      [
        'well before',
        [
          [20, 1],
          [5, 9],
        ],
        0,
      ],
      ['silent for more than a day', [[1_500, 9]], 0],
    ] as const)('%s', async (_, samples, wanted) => {
      const rule = await addRule({ kind: 'stream', stream: 'level', side: 'above', limit: 7, minutes: 10 });
      await sampled(...samples);
      await look(rule);
      expect(await alerts()).toHaveLength(wanted);
    });

    it('below is the other side, and another stream is none of it', async () => {
      const low = await addRule({ kind: 'stream', stream: 'level', side: 'below', limit: 7, minutes: 10 });
      const other = await addRule({ kind: 'stream', stream: 'depth', side: 'below', limit: 7, minutes: 10 });
      await sampled([20, 1]);
      await look(low);
      await look(other);
      expect((await alerts()).map(({ rule_id }) => rule_id)).toEqual([low.id]);
    });
  });

  it('a rule over a segment looks at its devices alone, and wants as many at once as it says', async () => {
    const segment = unwrap(
      await owner().call('segments.create', {
        params: { product_id },
        body: { title: 'Pier', filter: 'label.site==pier' },
      }),
    ).value;
    const rule = await addRule({ kind: 'offline', minutes: 10 }, { segment_id: segment.id, at_least: 2 });
    const devices = [await device(20), await device(20), await device(20)];
    const put = (id = '') =>
      storage.db.insertInto('labels').values({ device_id: id, name: 'site', value: 'pier' }).execute();
    await put(devices[0]?.id);
    await look(rule);
    expect(await alerts()).toEqual([]);
    await put(devices[1]?.id);
    await look(rule);
    expect(await alerts()).toMatchObject([{ devices: 2 }]);
    // What is deleted is no longer wrong.
    await storage.db
      .deleteFrom('devices')
      .where(
        'id',
        'in',
        devices.map(({ id }) => id),
      )
      .execute();
    await look(rule);
    expect(await alerts()).toMatchObject([{ state: 'over', devices_open: 0 }]);
  });

  it('of two processes one tells, through the connectors of the rule, and another goes on when it is gone', async () => {
    await addRule({ kind: 'offline', minutes: 10 });
    await device(20);
    const second = await buildApp(storage, { outbound: network.outbound, startMs: clock().now() });
    const both = [scene.app.clock, second.clock];
    const pass = async (clocks: readonly (typeof second.clock)[]) => {
      for (const one of clocks) await one.advance(1_000);
    };
    await expect
      .poll(async () => {
        await pass(both);
        return (await alerts()).length;
      })
      .toBe(1);
    // The first has stopped as if it was killed: its time stands still from now on.
    await expect
      .poll(async () => {
        await pass([second.clock]);
        return network.sent.length;
      })
      .toBe(1);
    const [sent] = network.sent;
    expect(sent && 'body' in sent && JSON.parse(sent.body)).toMatchObject({
      event: 'alert.raise',
      data: { message: expect.stringContaining('Alert "Dark"'), devices: 1 },
    });
    for (let second = 0; second < 60; second++) await pass(both);
    expect(await told()).toHaveLength(1);
    expect(network.sent).toHaveLength(1);
    await second.service.close();
  });

  // API-EP-POST-products-product_id-alert-rules, API-EP-PUT-alert-rules-rule_id, API-EP-DELETE-alert-rules-rule_id,
  // API-EP-GET-products-product_id-alert-rules, API-EP-GET-alerts-alert_id
  it('rules are made, changed, switched off and deleted by those who manage the fleet', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    await device(20);
    await look(rule);
    await look(rule, 1);
    const params = { rule_id: rule.id };
    const [alert] = await alerts();
    const of = { params: { alert_id: alert?.id ?? '' } };
    expect(unwrap(await owner().call('alerts.get', of)).value).toMatchObject({ rule_id: rule.id });
    expect(outcome(await scene.as('stranger').call('alerts.get', of))).toBe('NOT_FOUND');
    expect(unwrap(await scene.as('stranger').call('alerts.list', {})).value).toEqual([]);
    const listed = unwrap(await owner().call('alerts.rules', { params: { product_id } })).value;
    expect(listed).toMatchObject([{ id: rule.id, open: 1, connectors: [hook.id] }]);
    const body = { title: 'Off', condition: { kind: 'update_failed' } as const, enabled: false };
    const changed = unwrap(await owner().call('alerts.updateRule', { params, body })).value;
    expect(changed).toMatchObject({ title: 'Off', enabled: false, connectors: [], open: 0 });
    // Nothing is told of an end that a person has made.
    await look(rule, 1);
    expect(await told()).toHaveLength(1);
    expect(outcome(await owner().call('alerts.removeRule', { params }))).toBe('ok');
    expect(await alerts()).toEqual([]);
  });

  const set = (change: object) => (id: string) =>
    storage.db.updateTable('devices').set(change).where('id', '=', id).execute();
  it.each([
    ['is well again', async (id: string) => seen(id), '1 is left'],
    ['is deleted', (id: string) => storage.db.deleteFrom('devices').where('id', '=', id).execute(), '1 is left'],
    ['is in another product', async (id: string) => set({ product_id: (await scene.add()).id })(id), '1 is left'],
    ['is blocked', set({ state: 'disabled' }), '1 is left'],
    ['has another name', set({ title: 'New' }), '2 are left'],
  ])('a message names what is so when it is told: of two devices one %s', async (_what, happens, left) => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const [one, other] = [await device(20), await device(20)];
    await look(rule);
    await happens(one.id);
    await look(rule, 1);
    const who = left === '1 is left' ? `device "${other.title}"` : '2 devices';
    expect(await told()).toEqual([`alert.raise Alert "Dark": ${who}: not heard from for longer than 10 minutes`]);
    const row = await storage.db
      .selectFrom('logs')
      .selectAll()
      .where('type', '=', 'alert.raise')
      .executeTakeFirstOrThrow();
    expect(row.device_id).toBe(left === '1 is left' ? other.id : null);
    const titles = JSON.parse(row.data).some.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(left === '1 is left' ? [other.title] : ['New', other.title].toSorted());
  });

  it('a rule holds its segment and its connectors, and what is deleted with a product is said', async () => {
    const body = { title: 'North', filter: 'title==*' };
    const segment = unwrap(await owner().call('segments.create', { params: { product_id }, body })).value;
    const rule = await addRule({ kind: 'update_failed' }, { segment_id: segment.id });
    const bySegment = { params: { segment_id: segment.id } };
    const byHook = { params: { connector_id: hook.id } };
    const inUse = (message: string) => ({ ok: false, error: { status: 409, body: { code: 'IN_USE', message } } });
    expect(await owner().call('segments.remove', bySegment)).toMatchObject(
      inUse('Segment "North" is in use by alert rule "Dark"'),
    );
    expect(await owner().call('connectors.remove', byHook)).toMatchObject(
      inUse('Connector HOOK is in use by alert rule "Dark"'),
    );
    const saved = { title: 'Dark', condition: rule.condition, connectors: [], segment_id: null };
    unwrap(await owner().call('alerts.updateRule', { params: { rule_id: rule.id }, body: saved }));
    unwrap(await owner().call('segments.remove', bySegment));
    unwrap(await scene.as('admin').call('products.remove', { params: { product_id } }));
    const { message, data } = await storage.db
      .selectFrom('logs')
      .select(['message', 'data'])
      .where('type', '=', 'product.delete')
      .executeTakeFirstOrThrow();
    expect(message).toMatch(/ deleted; with it connector "HOOK", alert rule "Dark"$/);
    expect(JSON.parse(data)).toMatchObject({ with: { connector: ['HOOK'], 'alert rule': ['Dark'] } });
  });

  it('a rule names a segment and connectors of its own product', async () => {
    const other = (await scene.add()).id;
    const add = (body: object) =>
      owner().call('alerts.createRule', {
        params: { product_id: other },
        body: { title: 'x', condition: { kind: 'update_failed' }, ...body },
      });
    expect(outcome(await add({ connectors: [hook.id] }))).toBe('NOT_FOUND');
    expect(outcome(await add({ segment_id: crypto.randomUUID() }))).toBe('NOT_FOUND');
    for (let number = 0; number < 50; number++) unwrap(await add({}));
    expect(outcome(await add({}))).toBe('LIMIT_REACHED'); // API-LIMIT-alert-rules
  });

  // API-RULE-alert-4
  it('what was over long ago is forgotten', async () => {
    const rule = await addRule({ kind: 'offline', minutes: 10 });
    const { id } = await device(20);
    await look(rule);
    await seen(id);
    await look(rule);
    await removeOldAlerts(scene.app.service.deps);
    expect(await alerts()).toHaveLength(1);
    const later = { ...scene.app.service.deps, clock: { ...clock(), now: () => clock().now() + 91 * 86_400_000 } };
    await removeOldAlerts(later as never);
    expect(await alerts()).toEqual([]);
  });
});
