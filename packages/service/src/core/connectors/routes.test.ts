import type { ConnectorRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/each-database.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { everybody, type ProductScene, productScene } from '../../testing/product-scene.ts';
import { sendThroughConnector } from './messages.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const url = 'https://example.com/hook';
const notFound = { ok: false, error: { status: 404, body: { code: 'NOT_FOUND' } } };

eachDatabase('connectors', (open) => {
  let scene: ProductScene;
  let product: string;
  const network = fakeOutbound();
  beforeAll(async () => {
    scene = await productScene(await open(), { outbound: network.outbound });
  });
  beforeEach(async () => {
    product = (await scene.add()).id;
  });

  const on = (product_id: string) => ({ params: { product_id } });
  const at = (connector_id: string) => ({ params: { connector_id } });
  const add = async (more: object = {}, code = 'Hook'): Promise<ConnectorRecord> => {
    const body = { title: 'T', code, opts: { url, secret: 's3', ...more } };
    return unwrap(await scene.as('owner').call('connectors.create', { ...on(product), body })).value;
  };

  // API-EP-POST-products-product_id-connectors, API-EP-GET-connectors-connector_id, API-FIELD-connector-title, API-FIELD-connector-code
  it('are made, listed and read, without their secrets', async () => {
    const made = await add();
    expect(made).toMatchObject({
      product_id: product,
      title: 'T',
      code: 'HOOK',
      type: 'webhook',
      opts: { type: 'webhook', url, secret: '***' },
      state: 'unused',
      last_used_at: null,
      last_error: null,
    });
    expect(unwrap(await scene.as('manager').call('connectors.get', at(made.id.toUpperCase()))).value).toEqual(made);
    // API-EP-GET-products-product_id-connectors
    const listed = unwrap(await scene.as('admin').call('connectors.list', on(product)));
    expect(listed).toMatchObject({ value: [made], total: 1 });
    expect(await scene.logTypes(product)).toContain('connector.create');
  });

  // API-EP-PUT-connectors-connector_id, API-RULE-connector-2
  it('change, and keep a secret that comes back masked', async () => {
    const made = await add();
    const body = { title: 'New', code: 'OTHER', opts: { ...made.opts, timeout_ms: 500 } };
    const changed = unwrap(await scene.as('manager').call('connectors.update', { ...at(made.id), body })).value;
    expect(changed).toMatchObject({ title: 'New', code: 'OTHER', opts: { secret: '***', timeout_ms: 500 } });
    const row = await scene.app.storage.db
      .selectFrom('connectors')
      .select('opts')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.opts)).toMatchObject({ secret: 's3' });
    // The same again is no change, and options that are not sent stay.
    const again = { title: 'New', code: 'other' };
    expect(unwrap(await scene.as('owner').call('connectors.update', { ...at(made.id), body: again })).value).toEqual(
      changed,
    );
    expect((await scene.logTypes(product)).filter((type) => type === 'connector.update')).toHaveLength(1);
  });

  // API-EP-DELETE-connectors-connector_id
  it('are deleted once', async () => {
    const made = await add();
    expect(unwrap(await scene.as('owner').call('connectors.remove', at(made.id))).value).toEqual({ result: 'ok' });
    expect(await scene.as('owner').call('connectors.remove', at(made.id))).toMatchObject(notFound);
    expect(await scene.logTypes(product)).toContain('connector.delete');
  });

  it('have codes of their own within a product', async () => {
    const made = await add();
    const body = { title: 'T', code: 'hook', opts: { url } };
    const duplicate = { ok: false, error: { status: 409, body: { code: 'DUPLICATE' } } };
    expect(await scene.as('owner').call('connectors.create', { ...on(product), body })).toMatchObject(duplicate);
    const second = await add({}, 'SECOND');
    expect(
      await scene.as('owner').call('connectors.update', { ...at(second.id), body: { title: 'T', code: made.code } }),
    ).toMatchObject(duplicate);
    const other = await scene.add();
    expect(await scene.as('owner').call('connectors.create', { ...on(other.id), body })).toMatchObject({ ok: true });
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        scene.as('owner').call('connectors.create', { ...on(product), body: { ...body, code: 'RACE' } }),
      ),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it.each([
    [{ title: 'T', code: 'a b', opts: { url } }, 'code', 'INVALID_REQUEST'],
    [{ title: '', code: 'A', opts: { url } }, 'title', 'INVALID_REQUEST'],
    [{ title: 'T', code: 'A', opts: [] }, 'opts', 'INVALID_REQUEST'],
    [{ title: 'T', code: 'A' }, 'opts.url', 'INVALID_REQUEST'],
    [{ title: 'T', code: 'A', opts: { url: 'http://10.0.0.1/' } }, 'opts.url', 'TARGET_NOT_ALLOWED'],
  ])('of %j are refused', async (body, key, code) => {
    const reply = await scene.as('owner').call('connectors.create', { ...on(product), body: body as never });
    expect(reply).toMatchObject({ ok: false, error: { status: 400, body: { code, validation: { keys: [key] } } } });
  });

  // API-LIMIT-connectors
  it('of one product are 50 at most', async () => {
    for (let number = 0; number < 50; number++) await add({}, `C${number}`);
    const body = { title: 'T', code: 'MORE', opts: { url } };
    const reply = await scene.as('owner').call('connectors.create', { ...on(product), body });
    expect(reply).toMatchObject({ ok: false, error: { status: 409, body: { code: 'LIMIT_REACHED' } } });
  });

  // API-RULE-access-1, API-RULE-access-2
  it.each(everybody)('are used by %s as the table says', async (who) => {
    const made = await add();
    const status = who === 'stranger' ? 404 : who === 'tester' ? 403 : 200;
    const body = { title: 'T', code: `BY_${who}`, opts: { url } };
    const client = scene.as(who);
    const replies = [
      await client.call('connectors.list', on(product)),
      await client.call('connectors.create', { ...on(product), body }),
      await client.call('connectors.get', at(made.id)),
      await client.call('connectors.update', { ...at(made.id), body: { title: 'T2', code: 'HOOK' } }),
      await client.call('connectors.deliveries', at(made.id)),
      await client.call('connectors.test', at(made.id)),
      await client.call('connectors.remove', at(made.id)),
    ];
    expect(replies.map((reply) => (reply.ok ? 200 : reply.error.status))).toEqual(replies.map(() => status));
    expect(await scene.app.client.call('connectors.get', at(made.id))).toMatchObject({ error: { status: 401 } });
    expect(await client.call('connectors.get', at(unknownId))).toMatchObject(notFound);
    expect(await client.call('connectors.list', on(unknownId))).toMatchObject(notFound);
  });

  describe('test call', () => {
    // API-EP-POST-connectors-connector_id-test, API-EP-GET-connectors-connector_id-deliveries
    it('sends once and is in the log of deliveries', async () => {
      const made = await add();
      network.answer(201, 'thanks');
      const reply = unwrap(await scene.as('owner').call('connectors.test', at(made.id))).value;
      expect(reply).toEqual({ result: 'ok', status: 201 });
      expect(network.sent.at(-1)).toMatchObject({
        url,
        method: 'POST',
        headers: { 'X-Signature': expect.stringMatching(/^sha256=/) },
      });
      const log = unwrap(await scene.as('owner').call('connectors.deliveries', at(made.id)));
      expect(log).toMatchObject({
        total: 1,
        value: [{ event: 'test', state: 'done', status: 201, attempts: 1, error: null }],
      });
      const failed = await scene
        .as('owner')
        .call('connectors.deliveries', { ...at(made.id), query: { state: 'failed' } });
      expect(unwrap(failed).value).toEqual([]);
    });

    // API-ERR-502, API-ERR-504
    it.each([
      [{ kind: 'failed', detail: 'ECONNREFUSED' }, 502, 'CONNECTOR_FAILED'],
      [{ kind: 'timed_out' }, 504, 'CONNECTOR_TIMED_OUT'],
      [{ kind: 'not_allowed', host: 'inside' }, 400, 'TARGET_NOT_ALLOWED'],
    ] as const)('that ends with %j is refused', async (error, status, code) => {
      const made = await add();
      network.fail(error);
      expect(await scene.as('owner').call('connectors.test', at(made.id))).toMatchObject({
        error: { status, body: { code } },
      });
      const shown = unwrap(await scene.as('owner').call('connectors.get', at(made.id))).value;
      expect(shown).toMatchObject({ state: 'failing', last_error: expect.any(String) });
      expect(await scene.logTypes(product)).toContain('connector.error');
    });
  });

  // API-RULE-connector-6
  describe('messages of devices', () => {
    const device = { id: unknownId, uuid: 'ab'.repeat(20), title: 'D' };
    const message = (code: string, data: unknown) =>
      sendThroughConnector({ ...scene.app.service.deps, outbound: network.outbound }, product, code, device, data);

    it('bring back the answer', async () => {
      await add();
      expect(await message('hook', { a: 1 })).toEqual({ ok: true, value: { thanks: true } });
      const sent = network.sent.at(-1);
      expect(sent).toMatchObject({ headers: { 'X-Device-UUID': device.uuid } });
      expect(JSON.parse(sent && 'body' in sent ? sent.body : '')).toMatchObject({
        device,
        code: 'HOOK',
        data: { a: 1 },
      });
      expect(await scene.logTypes(product)).toContain('device.message');
    });

    it('go to brokers too, which answer nothing', async () => {
      await add({ type: 'mqtt', url: 'mqtt://b.example.com', secret: undefined, qos: 1 }, 'BROKER');
      expect(await message('BROKER', 1)).toEqual({ ok: true, value: null });
      expect(network.sent.at(-1)).toMatchObject({ qos: 1, topic: expect.stringContaining(device.uuid) });
    });

    it('are not tried again', async () => {
      const made = await add();
      network.answer(500);
      expect(await message('HOOK', 1)).toEqual({ ok: false, error: 'status 500' });
      const log = unwrap(await scene.as('owner').call('connectors.deliveries', at(made.id))).value;
      expect(log).toMatchObject([
        { event: 'message', state: 'failed', status: 500, device_id: device.id, due_at: null },
      ]);
    });

    it('need a connector, and an end', async () => {
      expect(await message('NONE', 1)).toEqual({ ok: false, error: 'connector not found' });
      await add();
      expect(await message('HOOK', 'x'.repeat(300_000))).toEqual({ ok: false, error: 'the message is too long' });
    });
  });
});
