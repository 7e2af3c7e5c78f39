import { avatarLimitBytes } from '@moorage/api';
import { hourMs } from '@moorage/base';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../engine/db/blob-records.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 'pixels')]);
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(50, 'frames')]);

eachDatabase('avatars', (open) => {
  let app: TestApp;
  let user: MadeUser;
  let other: MadeUser;
  let admin: MadeUser;
  let platformId: string;
  beforeAll(async () => {
    app = await buildApp(await open());
    admin = await app.make.admin();
    other = await app.make.user();
  });
  beforeEach(async () => {
    user = await app.make.user({ username: `ada${crypto.randomUUID()}` });
    platformId = (await app.make.platform()).id;
  });

  const get = (url: string, by: MadeUser = user, headers = {}) =>
    app.api.inject({ method: 'GET', url: `/api/${url}`, headers: { authorization: `Bearer ${by.token}`, ...headers } });
  const set = (url: string, payload: Buffer, by: MadeUser = user, type = 'application/octet-stream') =>
    app.api.inject({
      method: 'POST',
      url: `/api/${url}/avatar`,
      headers: { authorization: `Bearer ${by.token}`, 'content-type': type },
      payload,
    });

  /** Users and platforms: where they are, who may set their avatar, and where the record names it. */
  const kinds = {
    user: { url: () => `users/${user.id}`, setter: () => user, log: 'user.update', table: 'users' },
    platform: { url: () => `platforms/${platformId}`, setter: () => admin, log: 'platform.update', table: 'platforms' },
  } as const;

  describe.each(['user', 'platform'] as const)('of a %s', (kind) => {
    const { url, setter, log, table } = kinds[kind];

    // API-RULE-avatar-1
    // API-RULE-avatar-1
    it('is a placeholder before one is set', async () => {
      const reply = await get(`${url()}/avatar`);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/svg+xml']);
      expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
      expect(reply.body).toContain(kind === 'user' ? '>AD<' : '>PL<');
    });

    // API-EP-POST-users-user_id-avatar, API-EP-POST-platforms-platform_id-avatar,
    // API-EP-GET-users-user_id-avatar-avatar_id, API-EP-GET-platforms-platform_id-avatar-avatar_id
    it('that is set is found without and with its id, by everybody, as what its bytes are', async () => {
      const reply = await set(url(), png, setter(), 'text/html');
      const { avatar_id } = reply.json();
      expect([reply.statusCode, reply.json()]).toEqual([200, { result: 'ok', avatar_id }]);
      for (const path of [
        `${url()}/avatar`,
        `${url()}/avatar/${avatar_id}`,
        `${url()}/avatar/${avatar_id.toUpperCase()}`,
      ]) {
        const found = await get(path, other);
        expect([found.statusCode, found.headers['content-type']]).toEqual([200, 'image/png']);
        expect(found.rawPayload.equals(png)).toBe(true);
        const again = await get(path, other, { 'if-none-match': String(found.headers.etag) });
        expect(again.statusCode).toBe(304);
      }
      const id = url().split('/')[1] ?? '';
      const row = await app.storage.db.selectFrom(table).select('avatar_id').where('id', '=', id).executeTakeFirst();
      expect(row?.avatar_id).toBe(avatar_id);
      const logs = await app.storage.db.selectFrom('logs').selectAll().where('user_id', '=', setter().id).execute();
      expect(logs.filter(({ data }) => data.includes(avatar_id))).toMatchObject([{ type: log }]);
    });

    // API-ERR-412
    it('is replaced only as what the client has seen', async () => {
      const write = async (payload: Buffer, conditions: Record<string, string>) => {
        const headers = { authorization: `Bearer ${setter().token}`, 'content-type': 'image/png', ...conditions };
        return (await app.api.inject({ method: 'POST', url: `/api/${url()}/avatar`, headers, payload })).statusCode;
      };
      expect(await write(png, { 'if-match': '*' })).toBe(412);
      expect(await write(png, { 'if-none-match': '*' })).toBe(200);
      const { etag } = (await get(`${url()}/avatar`)).headers;
      expect(await write(gif, { 'if-match': '"other"' })).toBe(412);
      expect(await write(gif, { 'if-match': String(etag) })).toBe(200);
      expect(await write(png, { 'if-match': String(etag) })).toBe(412);
    });

    it('that is replaced is gone, its bytes too', async () => {
      const first = (await set(url(), png, setter())).json().avatar_id;
      const second = (await set(url(), gif, setter())).json().avatar_id;
      expect((await get(`${url()}/avatar`)).headers['content-type']).toBe('image/gif');
      expect((await get(`${url()}/avatar/${second}`)).rawPayload.equals(gif)).toBe(true);
      expect((await get(`${url()}/avatar/${first}`)).json()).toMatchObject({
        statusCode: 404,
        message: 'Avatar not found',
      });
      await set(url(), Buffer.concat([gif, Buffer.from('unlike any')]), setter());
      await app.clock.skip(hourMs + 1);
      await collectGarbage({ storage: app.storage, blobs: app.blobs, nowMs: app.clock.now() });
      expect((await get(`${url()}/avatar`)).rawPayload).toHaveLength(gif.length + 10);
    });

    it('may come in a form', async () => {
      const body = new FormData();
      body.append('file', new Blob([gif]), 'me.gif');
      const response = new Response(body);
      const type = response.headers.get('content-type') ?? '';
      const reply = await set(url(), Buffer.from(await response.bytes()), setter(), type);
      expect(reply.json()).toMatchObject({ result: 'ok' });
      expect((await get(`${url()}/avatar`)).headers['content-type']).toBe('image/gif');
    });

    it('of many set at once is one of them', async () => {
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, number) => set(url(), Buffer.concat([gif, Buffer.alloc(number)]), setter())),
      );
      expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
      const ids = replies.map((reply) => reply.json().avatar_id);
      const found = await Promise.all(ids.map((id) => get(`${url()}/avatar/${id}`)));
      expect(found.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    });

    // API-LIMIT-avatar
    it('has up to 1 MiB and is an image', async () => {
      const full = Buffer.concat([png, Buffer.alloc(avatarLimitBytes - png.length)]);
      expect((await set(url(), full, setter())).statusCode).toBe(200);
      const over = await set(url(), Buffer.concat([full, Buffer.alloc(1)]), setter());
      expect(over.json()).toMatchObject({ statusCode: 413, code: 'BODY_TOO_LARGE' });
      for (const bytes of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '', 'GIF', 'BM']) {
        const refused = await set(url(), Buffer.from(bytes), setter(), 'image/png');
        expect(refused.json()).toMatchObject({ statusCode: 400, code: 'NOT_AN_IMAGE' });
      }
      expect((await get(`${url()}/avatar`)).rawPayload.equals(full)).toBe(true);
    });

    // API-RULE-access-1
    it('may be set by its owner alone', async () => {
      expect((await set(url(), png, other)).statusCode).toBe(403);
      if (kind === 'user') expect((await set(url(), png, admin)).statusCode).toBe(403);
      const stranger = await app.api.inject({ method: 'GET', url: `/api/${url()}/avatar` });
      expect(stranger.statusCode).toBe(401);
      expect((await get(`${url()}/avatar`)).headers['content-type']).toBe('image/svg+xml');
    });

    it('of an unknown owner is not found, and another’s is not theirs', async () => {
      const unknown = `${kind}s/${unknownId}`;
      const message = kind === 'user' ? 'User not found' : 'Platform not found';
      expect((await get(`${unknown}/avatar`)).json()).toMatchObject({ statusCode: 404, message });
      expect((await set(unknown, png, admin)).json()).toMatchObject({ statusCode: 404, message });
      const theirs = (await set(`users/${other.id}`, png, other)).json().avatar_id;
      expect((await get(`${url()}/avatar/${theirs}`)).statusCode).toBe(404);
      expect((await get(`${url()}/avatar/none`)).statusCode).toBe(400);
      expect((await get(`${kind}s/none/avatar`)).statusCode).toBe(400);
    });
  });
});
