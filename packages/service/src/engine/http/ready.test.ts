import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';

// Answers lie ready only before a server that listens: calls within the process go to the framework.
eachDatabase('records that lie ready', (open) => {
  let app: TestApp;
  let origin = '';
  let owner: MadeUser;
  let stranger: MadeUser;
  let device: { readonly id: string; readonly uuid: string };

  beforeAll(async () => {
    app = await buildApp(await open());
    origin = await app.api.listen({ host: '127.0.0.1', port: 0 });
    owner = await app.make.user();
    stranger = await app.make.user();
    const platform = await app.make.platform();
    device = await app.make.device({ platform_id: platform.id, product_id: platform.edition.id, user_id: owner.id });
  });
  afterAll(() => app.service.close());

  const ask = (path: string, token: string, init: RequestInit = {}) =>
    fetch(`${origin}/api/devices/${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const title = async (path = device.uuid, token = owner.token): Promise<unknown> => {
    const reply = await ask(path, token);
    return reply.ok ? Object(await reply.json()).title : reply.status;
  };

  it('are the same to the byte as those that are made, and have the same headers', async () => {
    const replies = [];
    for (let time = 0; time < 3; time++) replies.push(await ask(device.uuid, owner.token));
    const seen = await Promise.all(
      replies.map(async (reply) => ({
        type: reply.headers.get('content-type'),
        length: reply.headers.get('content-length'),
        cache: reply.headers.get('cache-control'),
        sniff: reply.headers.get('x-content-type-options'),
        text: await reply.text(),
      })),
    );
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]).toMatchObject({ type: 'application/json; charset=utf-8', cache: 'no-store', sniff: 'nosniff' });
  });

  // API-EP-GET-devices-identifier
  it('are never older than the last change, contact or rights', async () => {
    await title();
    await ask(device.id, owner.token, {
      method: 'PUT',
      body: '{"title":"Changed"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([await title(), await title(device.id), await title(device.uuid.toUpperCase())]).toEqual([
      'Changed',
      'Changed',
      'Changed',
    ]);
    await app.storage.hot.touchDevice(device.id, 42_000, null);
    expect(await (await ask(device.uuid, owner.token)).json()).toMatchObject({ last_seen_at: '42000' });
    expect(await title(device.uuid, stranger.token)).toBe(404);
    await app.storage.db.updateTable('devices').set({ user_id: stranger.id }).where('id', '=', device.id).execute();
    expect([await title(), await title(device.uuid, stranger.token)]).toEqual([404, 'Changed']);
    expect(await title(device.uuid, stranger.token)).toBe('Changed');
    await app.storage.db.deleteFrom('tokens').where('user_id', '=', stranger.id).execute();
    expect(await title(device.uuid, stranger.token)).toBe(401);
  });

  it('are for that method and path alone, and are counted like the others', async () => {
    const admin = await app.make.admin();
    for (let time = 0; time < 3; time++) expect(await title(device.uuid, admin.token)).toBe('Changed');
    expect((await ask(device.uuid, admin.token, { method: 'PATCH' })).status).toBe(405);
    const head = await ask(device.uuid, admin.token, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await ask(`${device.uuid}?x=1`, admin.token)).status).toBe(400);
    expect((await fetch(`${origin}/api/devices/${device.uuid}`)).status).toBe(401);
    const counted = (
      await (await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })).text()
    )
      .split('\n')
      .filter((line) =>
        /_count\{listener="api",method="GET",route="\/api\/devices\/:identifier",status="200"\}/.test(line),
      );
    expect(counted).toHaveLength(1);
    expect(Number(counted[0]?.split(' ').at(-1))).toBeGreaterThanOrEqual(10);
  });
});
