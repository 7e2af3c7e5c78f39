import { randomUUID } from 'node:crypto';
import { type LogListQuery, type LogType, logsDepthLimit, logTypes } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { writeLog, writeLogs } from '../../engine/db/logs.ts';
import { eachDatabase, extensionsRun, testStartMs } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { type ProductScene, productScene, type Who } from '../../testing/product-scene.ts';
import { frequentTypes, removeOldLogs } from './retention.ts';

eachDatabase('logs', (open) => {
  let scene: ProductScene;
  let product: string;
  let count = 0;
  beforeAll(async () => {
    scene = await productScene(await open());
    product = (await scene.add()).id;
  });

  interface Event {
    readonly type?: LogType;
    readonly user?: Who;
    readonly productId?: string;
    readonly deviceId?: string;
    readonly level?: 'info' | 'warning' | 'error';
    readonly atMs?: number;
  }
  /** Writes a row and returns its message, which no other row has. */
  const happen = async ({ user, type = 'device.tag', atMs = testStartMs, ...more }: Event = {}): Promise<string> => {
    const message = `Event ${++count}.`;
    const userId = user ? scene.people[user].id : null;
    await scene.app.storage.transaction((trx) => writeLog(trx, { ...more, type, message, atMs, userId }));
    return message;
  };
  const list = async (who: Who, query: Partial<LogListQuery> = {}) =>
    unwrap(await scene.as(who).call('logs.list', { query: { limit: 500, ...query } }));
  const sees = async (who: Who, message: string, query: Partial<LogListQuery> = {}) =>
    (await list(who, query)).value.some((log) => log.message === message);
  const viewers = async (message: string) => {
    const seen = [];
    for (const who of ['admin', 'owner', 'manager', 'tester', 'stranger'] as const) {
      const inList = await sees(who, message);
      const row = await scene.app.storage.db
        .selectFrom('logs')
        .select('id')
        .where('message', '=', message)
        .executeTakeFirstOrThrow();
      const alone = await scene.as(who).call('logs.get', { params: { log_id: row.id } });
      // API-EP-GET-logs-log_id: what the list shows can be read, and nothing else.
      expect(alone.ok).toBe(inList);
      if (inList) seen.push(who);
    }
    return seen;
  };

  // API-RULE-log-1
  it('show own actions, and what happened to owned and managed products', async () => {
    expect(await viewers(await happen({ user: 'stranger' }))).toEqual(['admin', 'stranger']);
    expect(await viewers(await happen({ productId: product, user: 'tester' }))).toEqual([
      'admin',
      'owner',
      'manager',
      'tester',
    ]);
    expect(await viewers(await happen({ productId: product }))).toEqual(['admin', 'owner', 'manager']);
    expect(await viewers(await happen({}))).toEqual(['admin']);
  });

  it('show the owner of a device what happened while it was theirs', async () => {
    const edition = scene.platform.edition.id;
    const device = await scene.occupy(edition, scene.people.stranger.id);
    const before = await happen({ deviceId: device.id, productId: edition });
    expect(await viewers(before)).toEqual(['admin', 'stranger']);
    await scene.app.storage.db
      .updateTable('devices')
      .set({ user_id: scene.people.tester.id })
      .where('id', '=', device.id)
      .execute();
    const after = await happen({ deviceId: device.id, productId: edition });
    expect(await viewers(after)).toEqual(['admin', 'tester']);
    expect(await viewers(before)).toEqual(['admin', 'stranger']);
    expect(await sees('stranger', before, { device_id: device.id })).toBe(true);
    expect(await sees('stranger', after, { device_id: device.id })).toBe(false);
    const label = (await list('tester', { device_id: device.id.toUpperCase() })).value;
    expect(label).toMatchObject([{ device: device.title, product: scene.platform.edition.product }]);
  });

  it.runIf(extensionsRun)('show the people of a customer what happened to its products', async () => {
    const body = { name: `firm${count}`, users: ['stranger'] };
    const customer = unwrap(await scene.as('admin').call('customers.create', { body })).value;
    await acceptAll(scene.as('stranger'));
    const made = await scene.app.make.product({ platform_id: scene.platform.id, customer_id: customer.id });
    expect(await viewers(await happen({ productId: made.id }))).toEqual(['admin', 'stranger']);
  });

  // API-EP-GET-logs
  it('are whole records', async () => {
    const message = await happen({ productId: product, user: 'owner', level: 'warning' });
    const [row] = (await list('owner', { q: message })).value;
    expect(row).toEqual({
      id: expect.any(String),
      type: 'device.tag',
      level: 'warning',
      message,
      user_id: scene.people.owner.id,
      user: 'owner',
      device_id: null,
      device: null,
      product_id: product,
      product: expect.stringContaining('OWNER-'),
      bundle_id: null,
      ip: null,
      client: null,
      data: {},
      created_at: String(testStartMs),
    });
  });

  // API-RULE-log-2
  it.each(['ota.check', 'ota.none', 'device.message'] as const)('leave %s out unless it is asked for', async (type) => {
    const message = await happen({ type, productId: product });
    for (const who of ['owner', 'admin'] as const) {
      expect(await sees(who, message)).toBe(false);
      expect(await sees(who, message, { type })).toBe(true);
      expect(await sees(who, message, { product_id: product })).toBe(false);
    }
  });

  // API-RULE-list-2
  // API-RULE-list-2
  it('are filtered by the name of the person who did it, as far as they may be read', async () => {
    const message = await happen({ user: 'owner', type: 'device.claim' });
    const other = await happen({ user: 'stranger', type: 'device.claim' });
    const { username } = scene.people.owner;
    for (const user of [username, ` ${username.toUpperCase()}`]) {
      expect(await sees('admin', message, { user })).toBe(true);
      expect(await sees('admin', other, { user })).toBe(false);
    }
    expect(await sees('stranger', message, { user: username })).toBe(false);
    expect((await list('admin', { user: 'no such person' })).value).toEqual([]);
  });

  it('are filtered', async () => {
    const atMs = testStartMs + 5_000;
    const message = await happen({ type: 'bundle.tag', productId: product, user: 'manager', level: 'error', atMs });
    const fits: Partial<LogListQuery>[] = [
      { type: 'bundle.tag' },
      { level: 'error' },
      { product_id: product.toUpperCase() },
      { user_id: scene.people.manager.id },
      { from: atMs, to: atMs + 1 },
      { q: message.toUpperCase() },
    ];
    const others: Partial<LogListQuery>[] = [
      { type: 'bundle.state' },
      { level: 'info' },
      { product_id: randomUUID() },
      { device_id: randomUUID() },
      { user_id: scene.people.tester.id },
      { from: atMs + 1 },
      { to: atMs },
      { q: 'nowhere' },
    ];
    for (const who of ['admin', 'owner', 'manager'] as const) {
      for (const query of fits)
        expect({ who, query, seen: await sees(who, message, query) }).toEqual({ who, query, seen: true });
      for (const query of others)
        expect({ who, query, seen: await sees(who, message, query) }).toEqual({ who, query, seen: false });
    }
  });

  // API-RULE-list-1
  it('are paged, newest first, each once, with their total', async () => {
    const own = (await scene.add()).id;
    const messages: string[] = [];
    for (let step = 1; step <= 5; step++) {
      messages.push(await happen({ productId: own, user: 'owner', atMs: testStartMs + step }));
    }
    const query = { product_id: own, type: 'device.tag' } as const;
    const texts = async (more: Partial<LogListQuery>) =>
      (await list('owner', { ...query, ...more })).value.map((log) => log.message);
    expect(await texts({})).toEqual(messages.toReversed());
    expect(await texts({ sort: 'created_at', limit: 2, offset: 1 })).toEqual(messages.slice(1, 3));
    const page = await list('owner', { ...query, limit: 2, offset: 2 });
    expect(page.total).toBe(5);
    expect(page.headers.get('link')).toContain('offset=4');
    // Across sources: the rows are of the caller, of their product, and of nothing else.
    expect((await list('owner', { from: testStartMs + 1, to: testStartMs + 6, type: 'device.tag' })).total).toBe(5);
  });

  // API-LIMIT-logs
  it('are counted up to 10,000, and a page may begin there at the latest', async () => {
    const own = (await scene.add()).id;
    const type: LogType = 'bundle.create';
    const row = { type, level: 'info' as const, message: 'x', user_id: null, device_id: null, product_id: own };
    const rest = { bundle_id: null, ip: null, client: null, data: '{}', owner_id: null, quiet: 0 as const };
    for (let from = 0; from < logsDepthLimit + 500; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => ({
        ...row,
        ...rest,
        id: randomUUID(),
        created_at: from + at,
      }));
      await scene.app.storage.db.insertInto('logs').values(rows).execute();
    }
    for (const who of ['owner', 'admin'] as const) {
      const last = await list(who, { product_id: own, type, offset: logsDepthLimit, limit: 5 });
      expect(last.total).toBe(logsDepthLimit);
      expect(last.value.map(({ created_at }) => created_at)).toEqual(['499', '498', '497', '496', '495']);
    }

    // API-RULE-log-4: behind that the header leads on, to the very last row.
    const inject = async (url: string) => {
      const headers = { authorization: `Bearer ${scene.people.owner.token}` };
      const reply = await scene.app.api.inject({ url, headers });
      const link = String(reply.headers.link);
      return { rows: reply.payload, next: /<([^>]*)>; rel="next"/.exec(link)?.[1] ?? '' };
    };
    const times = (rows: string) => JSON.parse(rows).map(({ created_at }: { created_at: string }) => created_at);
    const asked = `/api/logs?product_id=${own}&type=${type}&limit=300`;
    const deep = await inject(`${asked}&offset=${logsDepthLimit}`);
    expect(times(deep.rows).at(-1)).toBe('200');
    const older = await inject(deep.next);
    expect(deep.next).toContain('after=200_');
    expect(times(older.rows)).toEqual(Array.from({ length: 200 }, (_, at) => String(199 - at)));
    expect(older.next).toBe('');
    // The other way round it goes on, too.
    const [early = ''] = times((await inject(`${asked}&sort=created_at&offset=${logsDepthLimit}`)).rows);
    expect(early).toBe(String(logsDepthLimit));

    // API-RULE-export-1: all of them at once, each once.
    const file = await inject(`${asked}&format=jsonl`);
    const all = file.rows.trimEnd().split('\n');
    expect(all.length).toBe(logsDepthLimit + 500);
    expect(new Set(all.map((line) => JSON.parse(line).id)).size).toBe(all.length);
  });

  // API-RULE-log-4
  it('are searched in portions, and the header leads on to those that were not looked at', async () => {
    const own = (await scene.add()).id;
    const { db } = scene.app.storage;
    const row = { type: 'bundle.create' as const, level: 'info' as const, user_id: null, device_id: null };
    const rest = { product_id: own, bundle_id: null, ip: null, client: null, data: '{}', quiet: 0 as const };
    const messageOf = (at: number) => (at === 2 || at === 45_000 ? 'The needle' : 'hay');
    for (let from = 0; from < 45_001; from += 1_000) {
      const rows = Array.from({ length: Math.min(1_000, 45_001 - from) }, (_, at) => ({
        ...row,
        ...rest,
        id: randomUUID(),
        owner_id: null,
        message: messageOf(from + at),
        created_at: from + at,
      }));
      await db.insertInto('logs').values(rows).execute();
    }
    const headers = { authorization: `Bearer ${scene.people.owner.token}` };
    const ask = async (url: string) => {
      const reply = await scene.app.api.inject({ url, headers });
      const next = /<([^>]*)>; rel="next"/.exec(String(reply.headers.link))?.[1];
      return { times: reply.json().map(({ created_at }: { created_at: string }) => created_at), next };
    };
    const first = await ask(`/api/logs?q=NEEDLE&product_id=${own}`);
    expect(first.times).toEqual(['45000']);
    const second = await ask(first.next ?? '');
    expect(second).toEqual({ times: ['2'], next: undefined });
  }, 60_000);

  // API-RULE-list-3
  it.each(['type=device.explode', 'level=loud', 'from=x', 'to=-1', 'offset=10001', 'device_id=1', 'sort=message'])(
    'with %s are refused',
    async (query) => {
      const headers = { authorization: `Bearer ${scene.people.owner.token}` };
      const reply = await scene.app.api.inject({ url: `/api/logs?${query}`, headers });
      expect(reply.json()).toMatchObject({ statusCode: 400, validation: { keys: [query.split('=')[0]] } });
    },
  );

  it('are refused without a token, and 404 when they are not there', async () => {
    expect(await scene.app.client.call('logs.list')).toMatchObject({ error: { status: 401 } });
    const params = { log_id: randomUUID() };
    expect(await scene.as('owner').call('logs.get', { params })).toMatchObject({ error: { status: 404 } });
  });

  // API-RULE-log-3
  it('are kept for 90 days', async () => {
    const beforeMs = scene.app.clock.now() - 90 * 86_400_000;
    const old = await happen({ atMs: beforeMs - 1, user: 'owner' });
    const kept = await happen({ atMs: beforeMs, user: 'owner' });
    expect(await sees('owner', old)).toBe(true);
    await removeOldLogs(scene.app.service.deps);
    expect([await sees('owner', old), await sees('owner', kept)]).toEqual([false, true]);
  });

  it.each([
    ['logDays', 90, logTypes.filter((type) => !frequentTypes.includes(type))],
    ['logDaysFrequent', 14, frequentTypes],
  ] as const)('are kept as long as %s says, of each of its types', async (_, days, types) => {
    const { storage, service } = scene.app;
    const beforeMs = scene.app.clock.now() - days * 86_400_000;
    const entries = types.flatMap((type) => [
      { type, message: 'old', atMs: beforeMs - 1 },
      { type, message: 'young', atMs: beforeMs },
    ]);
    await writeLogs(storage.db, entries);
    await removeOldLogs(service.deps);
    const left = await storage.db.selectFrom('logs').select('type').where('message', 'in', ['old', 'young']).execute();
    expect(left.map(({ type }) => type).sort()).toEqual([...types].sort());
    await storage.db.deleteFrom('logs').where('message', '=', 'young').execute();
  });
});
