import type { ConnectorRecord, LogType } from '@moorage/api';
import { unwrap, VirtualClock } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { writeLog } from '../../engine/db/logs.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { eachDatabase } from '../../testing/each-database.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';
import { removeOldDeliveries, startDeliveries } from './engine.ts';

eachDatabase('deliveries', (open) => {
  let storage: Storage;
  let scene: ProductScene;
  let network: ReturnType<typeof fakeOutbound>;
  let hook: ConnectorRecord;
  let product: string;

  beforeEach(async () => {
    storage = await open();
    network = fakeOutbound();
    scene = await productScene(storage, { outbound: network.outbound });
    product = (await scene.add()).id;
    hook = await connect('HOOK');
  });

  const connect = async (code: string) => {
    const opts = { url: 'https://example.com/hook', secret: 's3', events: ['ota.ok', 'device.tag'] };
    const body = { title: 'T', code, opts };
    return unwrap(await scene.as('owner').call('connectors.create', { params: { product_id: product }, body })).value;
  };
  const happen = (type: LogType, deviceId?: string) =>
    storage.transaction((trx) =>
      writeLog(trx, {
        type,
        message: 'Something happened',
        atMs: scene.app.clock.now(),
        productId: product,
        data: { a: 1 },
        ...(deviceId && { deviceId }),
      }),
    );
  const rows = () => storage.db.selectFrom('deliveries').selectAll().orderBy('created_at').orderBy('id').execute();
  const waitFor = (seen: () => Promise<unknown>, expected: unknown) => expect.poll(seen).toEqual(expected);
  const progress = async () => (await rows()).map(({ state, attempts }) => `${state} ${attempts}`).sort();
  /** Time goes on, and what falls due meanwhile is tried. */
  const pass = async (durationMs: number, expected: readonly string[]) => {
    await scene.app.clock.advance(durationMs);
    await waitFor(async () => {
      await scene.app.clock.advance(250);
      return progress();
    }, expected);
  };

  // API-RULE-connector-4, API-RULE-connector-5
  it('tell of the events that were asked for, and of no others', async () => {
    const device = await scene.occupy(product);
    await happen('ota.ok', device.id);
    await happen('ota.fail', device.id);
    await pass(1_000, ['done 1']);
    const [sent] = network.sent;
    expect(sent).toMatchObject({ headers: { 'X-Device-UUID': device.uuid, 'X-Signature': expect.any(String) } });
    expect(JSON.parse(sent && 'body' in sent ? sent.body : '')).toMatchObject({
      id: (await rows())[0]?.id,
      event: 'ota.ok',
      code: 'HOOK',
      device: { id: device.id, uuid: device.uuid, title: device.title },
      product: { id: product },
      data: { a: 1, message: 'Something happened', level: 'info' },
    });
    const shown = unwrap(await scene.as('owner').call('connectors.get', { params: { connector_id: hook.id } })).value;
    expect(shown).toMatchObject({ state: 'ok', last_used_at: expect.any(String) });
  });

  it('name the device as it was then, whatever has become of it', async () => {
    const [renamed, gone] = [await scene.occupy(product), await scene.occupy(product)];
    await happen('ota.ok', renamed.id);
    await happen('ota.ok', gone.id);
    await storage.db.updateTable('devices').set({ title: 'Later' }).where('id', '=', renamed.id).execute();
    await storage.db.deleteFrom('devices').where('id', '=', gone.id).execute();
    await pass(1_000, ['done 1', 'done 1']);
    const named = network.sent.map((one) => ('body' in one ? JSON.parse(one.body).device : undefined));
    const asThen = ({ id, uuid, title }: typeof gone) => ({ id, uuid, title });
    expect(named).toEqual([asThen(renamed), asThen(gone)]);
  });

  it('are queued with the change, or not at all', async () => {
    const broken = storage.transaction(async (trx) => {
      await writeLog(trx, { type: 'ota.ok', message: 'M', atMs: 1, productId: product });
      throw new Error('No');
    });
    await expect(broken).rejects.toThrow('No');
    expect(await rows()).toEqual([]);
  });

  it('are tried again after 10, 60 and 300 seconds, and then given up', async () => {
    for (let attempt = 0; attempt < 4; attempt++) network.answer(503);
    await happen('ota.ok');
    await pass(1_000, ['waiting 1']);
    await waitFor(async () => (await rows()).map(({ status }) => status), [503]);
    await scene.app.clock.advance(8_000);
    expect(network.sent).toHaveLength(1);
    await pass(3_000, ['waiting 2']);
    await pass(61_000, ['waiting 3']);
    await pass(301_000, ['failed 4']);
    expect(network.sent).toHaveLength(4);
    expect(await rows()).toMatchObject([{ status: 503, error: 'status 503', due_at: null }]);
    expect(await scene.logTypes(product)).toContain('connector.error');
    const shown = unwrap(await scene.as('owner').call('connectors.get', { params: { connector_id: hook.id } })).value;
    expect(shown).toMatchObject({ state: 'failing', last_error: 'status 503' });
  });

  it('that fail once go well later', async () => {
    network.fail({ kind: 'timed_out' });
    await happen('ota.ok');
    await pass(1_000, ['waiting 1']);
    await pass(11_000, ['done 2']);
    expect(await scene.logTypes(product)).not.toContain('connector.error');
  });

  it('wait for the next process when this one ends', async () => {
    await scene.app.service.close();
    await happen('ota.ok');
    expect(await progress()).toEqual(['waiting 0']);
    const next = startDeliveries({ ...scene.app.service.deps, outbound: network.outbound });
    await pass(1_000, ['done 1']);
    await next();
  });

  it('that were begun by a process which died are begun again when its lease is over', async () => {
    await happen('ota.ok');
    const leaseEndMs = scene.app.clock.now() + 70_000;
    await storage.db.updateTable('deliveries').set({ attempts: 1, due_at: leaseEndMs }).execute();
    await scene.app.clock.advance(60_000);
    expect(network.sent).toHaveLength(0);
    await pass(11_000, ['done 2']);
  });

  it('are each made once by two processes', async () => {
    const second = startDeliveries({ ...scene.app.service.deps, outbound: network.outbound });
    for (let event = 0; event < 6; event++) await happen('ota.ok');
    await pass(
      1_000,
      Array.from({ length: 6 }, () => 'done 1'),
    );
    for (let step = 0; step < 5; step++)
      await pass(
        1_000,
        Array.from({ length: 6 }, () => 'done 1'),
      );
    expect(network.sent).toHaveLength(6);
    await second();
  });

  it('of one slow target do not hold up others', async () => {
    for (let event = 0; event < 4; event++) await happen('ota.ok', (await scene.occupy(product)).id);
    const release = network.hold();
    await pass(1_000, ['waiting 0', 'waiting 0', 'waiting 1', 'waiting 1']);
    await waitFor(async () => network.sent.length, 2);
    await connect('OTHER');
    await happen('device.tag');
    await waitFor(async () => {
      await scene.app.clock.advance(1_000);
      return network.sent.length;
    }, 3);
    release();
    await scene.app.service.close();
  });

  const titlesSent = () => network.sent.map((one) => ('body' in one ? JSON.parse(one.body).data.at : undefined));
  const happenAll = (rows: readonly { readonly type: LogType; readonly at: string; readonly deviceId?: string }[]) =>
    storage.transaction(async (trx) => {
      for (const { type, at, deviceId } of rows) {
        const about = { message: 'M', atMs: scene.app.clock.now(), productId: product, data: { at } };
        const own = { ...(deviceId && { deviceId }), ...(type === 'alert.raise' && { line: at }) };
        await writeLog(trx, { ...about, type, connectorIds: [hook.id], ...own });
      }
    });

  it('begin when the last ends: a hundred take a target that answers at once one look', async () => {
    const devices = await Promise.all([1, 2, 3].map(() => scene.occupy(product)));
    const rows = Array.from({ length: 100 }, (_, at) => ({
      type: 'ota.ok' as const,
      at: `${at % 3} ${at}`,
      deviceId: devices[at % 3]?.id ?? '',
    }));
    await happenAll(rows);
    await scene.app.clock.advance(1_000);
    await waitFor(async () => network.sent.length, 100);
    for (const device of ['0', '1', '2']) {
      const of = (list: readonly string[]) => list.filter((at) => at.startsWith(`${device} `));
      expect(of(titlesSent())).toEqual(of(rows.map(({ at }) => at)));
    }
  });

  it('of a device wait for the one before, those of others do not, and alerts go first', async () => {
    const one = await scene.occupy(product);
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => scene.occupy(product)));
    network.answer(503);
    await happenAll([{ type: 'ota.ok', at: 'first', deviceId: one.id }]);
    await pass(1_000, ['waiting 1']);
    await happenAll([
      { type: 'ota.ok', at: 'second', deviceId: one.id },
      ...others.map(({ id }) => ({ type: 'ota.ok' as const, at: 'other', deviceId: id })),
      { type: 'alert.raise', at: 'alert', deviceId: one.id },
    ]);
    const six = Array.from({ length: 6 }, () => 'done 1');
    await pass(1_000, [...six, 'waiting 0', 'waiting 1']);
    await pass(10_000, [...six, 'done 1', 'done 2']);
    const sent = titlesSent();
    expect(sent.toSorted()).toEqual(['alert', 'first', 'first', ...others.map(() => 'other'), 'second']);
    // Two are under way at a time, and either may be there first.
    expect(sent.indexOf('alert')).toBeLessThanOrEqual(2);
    expect([sent[0], ...sent.slice(-2)]).toEqual(['first', 'first', 'second']);
  });

  it('go with their connector', async () => {
    await happen('ota.ok');
    unwrap(await scene.as('owner').call('connectors.remove', { params: { connector_id: hook.id } }));
    expect(await rows()).toEqual([]);
    await happen('ota.ok');
    expect(await rows()).toEqual([]);
  });

  // API-RULE-connector-7
  it('are forgotten 7 days after they ended', async () => {
    await happen('ota.ok');
    await pass(1_000, ['done 1']);
    const { finished_at } = await storage.db.selectFrom('deliveries').select('finished_at').executeTakeFirstOrThrow();
    const left = async (agoMs: number) => {
      await removeOldDeliveries({ storage, clock: new VirtualClock(Number(finished_at) + agoMs) });
      return (await rows()).length;
    };
    const keptMs = 7 * 86_400_000;
    expect([await left(keptMs), await left(keptMs + 1)]).toEqual([1, 0]);
  });
});
