import { createHash } from 'node:crypto';
import { storeLimits } from '@moorage/api';
import { crc16, formatCrc16, hourMs, unwrap } from '@moorage/base';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../engine/db/blob-records.ts';
import { type DeviceWorld, deviceWorld, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';
import { rawRequest } from '../../testing/raw-http.ts';

const etagOf = (bytes: string | Buffer): string => `"${createHash('sha256').update(bytes).digest('hex')}"`;

eachDatabase('files by path', (open) => {
  let world: DeviceWorld;
  let port = 0;
  beforeAll(async () => {
    world = await deviceWorld(await open());
    const { api } = world.app;
    await api.listen({ port: 0, host: '127.0.0.1' });
    port = Number(new URL(api.listeningOrigin).port);
  });
  afterAll(() => world.app.service.close());

  const tokenOf = (person: Person) => ({ authorization: `Bearer ${world.people[person].token}` });
  const request = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    options: Omit<InjectOptions, 'method' | 'url'> = {},
    person: Person = 'owner',
  ) => world.app.api.inject({ method, url, ...options, headers: { ...tokenOf(person), ...options.headers } });

  /** A store of each kind: a device of `owner`, or the product of `maker`; and who may write in it. */
  const kinds = {
    device: {
      writer: 'owner' as Person,
      types: ['device.file_write', 'device.file_delete'],
      make: async () => `/api/devices/${(await world.deviceOf('owner')).id}/files`,
    },
    product: {
      writer: 'maker' as Person,
      types: ['asset.write', 'asset.delete'],
      make: async () => {
        const at = { platform_id: world.platform.id, user_id: world.people.maker.id };
        return `/api/products/${(await world.app.make.product(at)).id}/assets`;
      },
    },
  };

  describe.each(['device', 'product'] as const)('of a %s', (kind) => {
    const { writer, types, make } = kinds[kind];
    let base: string;
    beforeEach(async () => {
      base = await make();
    });
    const call = (method: 'GET' | 'POST' | 'DELETE', path = '', options: Omit<InjectOptions, 'method' | 'url'> = {}) =>
      request(method, base + path, options, writer);
    const put = (path: string, payload: string | Buffer = 'x', mime?: string) =>
      call('POST', path, {
        payload: Buffer.from(payload),
        headers: mime === undefined ? {} : { 'content-type': mime },
      });
    const paths = async (query = ''): Promise<string[]> =>
      (await call('GET', query)).json().map(({ path }: { path: string }) => path);
    const logs = async () => {
      const id = base.split('/')[3] ?? '';
      const column = kind === 'device' ? 'device_id' : 'product_id';
      const rows = await world.app.storage.db
        .selectFrom('logs')
        .selectAll()
        .where(column, '=', id)
        .orderBy('created_at')
        .execute();
      return rows.filter(({ type }) => types.includes(type));
    };

    // API-RULE-files-1, API-RULE-files-2
    it('store is of its own: a path of several segments means one file here and none in another', async () => {
      await put('/a/b/c/d.txt', 'ours');
      const other = await make();
      expect((await request('GET', `${other}/a/b/c/d.txt`, {}, writer)).statusCode).toBe(404);
      await request('POST', `${other}/a/b/c/d.txt`, { payload: Buffer.from('theirs') }, writer);
      expect((await call('GET', '/a/b/c/d.txt')).payload).toBe('ours');
      expect((await request('GET', `${other}/a/b/c/d.txt`, {}, writer)).payload).toBe('theirs');
      expect((await request('DELETE', `${other}/a/b/c/d.txt`, {}, writer)).statusCode).toBe(200);
      expect(await paths()).toEqual(['a/b/c/d.txt']);
      // The file lies under the whole path, not under its ends.
      expect((await call('GET', '/d.txt')).statusCode).toBe(404);
    });

    // API-EP-POST-devices-device_id-files-path, API-EP-POST-products-product_id-assets-path, API-RULE-files-6
    it('written file is in the index, and its bytes come back', async () => {
      const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256));
      const crc = formatCrc16(crc16(bytes)).toLowerCase();
      const at = String(world.app.clock.now());
      const entry = {
        path: 'maps/cellar/plan.png',
        name: 'plan.png',
        size: 300,
        crc,
        mime: 'image/x-test; part=1',
        version: null,
        created_at: at,
        updated_at: at,
      };
      const written = await put('/maps/cellar/plan.png', bytes, 'image/x-test; part=1');
      expect([written.statusCode, written.json()]).toEqual([200, { result: 'ok', ...entry }]);
      // API-EP-GET-devices-device_id-files, API-EP-GET-products-product_id-assets
      const index = await call('GET');
      expect([index.headers['x-total-count'], index.json()]).toEqual(['1', [entry]]);
      // API-EP-GET-devices-device_id-files-path, API-EP-GET-products-product_id-assets-path, API-RULE-files-4
      const file = await call('GET', '/maps/cellar/plan.png');
      expect(file.rawPayload.equals(bytes)).toBe(true);
      expect(file.headers).toMatchObject({
        'content-type': 'image/x-test; part=1',
        'content-length': '300',
        etag: etagOf(bytes),
        'last-modified': new Date(world.app.clock.now()).toUTCString(),
        'accept-ranges': 'bytes',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
      });
      const user = world.people[writer].id;
      expect(await logs()).toMatchObject([{ type: types[0], user_id: user, level: 'info' }]);
    });

    it('file without a media type gets that of its extension, and may have a version', async () => {
      const page = await call('POST', '/a.html?version=1.2.3.4', { payload: Buffer.from('x') });
      expect(page.json()).toMatchObject({ mime: 'text/html', version: '1.2.3.4' });
      expect((await put('/b.unknown')).json()).toMatchObject({ mime: 'application/octet-stream' });
      expect((await call('POST', '/empty')).json()).toMatchObject({ size: 0, crc: 'ffff' });
      const wrong = await call('POST', '/c?version=1.x', { payload: Buffer.from('x') });
      expect([wrong.statusCode, wrong.json().code]).toEqual([400, 'INVALID_VERSION']);
    });

    it('file is overwritten in place: content, type and time change, and the first time stays', async () => {
      await put('/a', 'old', 'text/old');
      const before = world.app.clock.now();
      await world.app.clock.advance(5000);
      const entry = (await put('/a', 'newer', 'text/new')).json();
      expect(entry).toMatchObject({ size: 5, mime: 'text/new', created_at: String(before) });
      expect(entry.updated_at).toBe(String(before + 5000));
      expect((await call('GET', '/a')).body).toBe('newer');
      expect(await paths()).toEqual(['a']);
      expect((await logs()).map(({ type }) => type)).toEqual([types[0], types[0]]);
    });

    // API-RULE-files-4
    it('ranges and conditions are honoured', async () => {
      await put('/a', '0123456789');
      const whole = await call('GET', '/a');
      const part = await call('GET', '/a', { headers: { range: 'bytes=2-4' } });
      expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
      const outside = await call('GET', '/a', { headers: { range: 'bytes=10-' } });
      expect([outside.statusCode, outside.json().code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
      const { etag, 'last-modified': modified } = whole.headers;
      for (const headers of [{ 'if-none-match': String(etag) }, { 'if-modified-since': String(modified) }]) {
        expect((await call('GET', '/a', { headers })).statusCode).toBe(304);
      }
      await put('/a', 'abcdefghij');
      expect((await call('GET', '/a', { headers: { 'if-none-match': String(etag) } })).body).toBe('abcdefghij');
      const stale = await call('GET', '/a', { headers: { range: 'bytes=2-4', 'if-range': String(etag) } });
      expect([stale.statusCode, stale.body]).toEqual([200, 'abcdefghij']);
    });

    it('part of a file is never completed with bytes of another one of the same size and CRC', async () => {
      const [first, second] = ['boat 01778', 'boat 04002'];
      expect(crc16(Buffer.from(first))).toBe(crc16(Buffer.from(second)));
      await put('/a', first);
      const { etag, 'last-modified': modified } = (await call('GET', '/a')).headers;
      await put('/a', second);
      // Written within the same second: the time does not tell them apart either.
      for (const expected of [etag, modified]) {
        const rest = await call('GET', '/a', { headers: { range: 'bytes=5-', 'if-range': String(expected) } });
        expect([rest.statusCode, rest.body]).toEqual([200, second]);
      }
      const other = await call('GET', '/a', { headers: { 'if-none-match': String(etag) } });
      expect([other.statusCode, other.body]).toEqual([200, second]);
      const stale = await call('GET', '/a', { headers: { 'if-match': String(etag) } });
      expect([stale.statusCode, stale.json().code]).toEqual([412, 'FILE_CHANGED']);
    });

    // API-ERR-412
    it('conditions hold for writing and deleting too', async () => {
      const write = (headers: Record<string, string>, payload: string) =>
        call('POST', '/a', { headers, payload: Buffer.from(payload) });
      const outcome = async (reply: ReturnType<typeof write>) => [(await reply).statusCode, (await reply).json().code];
      const refused = [412, 'FILE_CHANGED'];
      expect(await outcome(write({ 'if-match': '*' }, 'one'))).toEqual(refused);
      expect(await outcome(write({ 'if-none-match': '*' }, 'one'))).toEqual([200, undefined]);
      expect(await outcome(write({ 'if-none-match': '*' }, 'two'))).toEqual(refused);
      expect(await outcome(write({ 'if-match': etagOf('two') }, 'two'))).toEqual(refused);
      expect(await outcome(write({ 'if-match': etagOf('one') }, 'two'))).toEqual([200, undefined]);
      expect((await call('GET', '/a')).body).toBe('two');
      const remove = (tag: string) => call('DELETE', '/a', { headers: { 'if-match': tag } });
      expect(await outcome(remove(etagOf('one')))).toEqual(refused);
      expect(await outcome(remove(etagOf('two')))).toEqual([200, undefined]);
      expect(await outcome(remove(etagOf('two')))).toEqual([404, 'NOT_FOUND']);
    });

    // API-EP-DELETE-devices-device_id-files-path, API-EP-DELETE-products-product_id-assets-path
    it('deleted file is gone, and a path that others begin with is none', async () => {
      await put('/a/b');
      await world.app.clock.advance(1);
      for (const path of ['/a', '/a/b/c', '/A/b', '/c']) {
        for (const method of ['GET', 'DELETE'] as const) {
          const reply = await call(method, path);
          expect([reply.statusCode, reply.json().message]).toEqual([404, 'File not found']);
        }
      }
      const removed = await call('DELETE', '/a/b');
      expect([removed.statusCode, removed.json()]).toEqual([200, { result: 'ok' }]);
      expect(await paths()).toEqual([]);
      expect((await call('DELETE', '/a/b')).statusCode).toBe(404);
      expect((await logs()).map(({ type }) => type)).toEqual(types);
    });

    // API-RULE-files-7
    it('index is sorted by the bytes of the paths, and narrowed by prefix and filter', async () => {
      for (const path of [
        'b',
        'B',
        'a/ä.html',
        'a/b.html',
        'a/50%25.txt',
        'a/50x.txt',
        'a_b',
        'a?b'.replace('?', '%3F'),
      ]) {
        expect((await put(`/${path}`)).statusCode).toBe(200);
      }
      const all = ['B', 'a/50%.txt', 'a/50x.txt', 'a/b.html', 'a/ä.html', 'a?b', 'a_b', 'b'];
      expect(await paths()).toEqual(all);
      expect(await paths('?sort=-path')).toEqual(all.toReversed());
      expect(await paths('?prefix=a/')).toEqual(all.slice(1, 5));
      expect(await paths('?prefix=a%25')).toEqual([]);
      expect(await paths('?prefix=')).toEqual(all);
      expect(await paths('?filter=*.html')).toEqual(['a/b.html', 'a/ä.html']);
      expect(await paths('?filter=a*b*')).toEqual(['a/b.html', 'a?b', 'a_b']);
      expect(await paths('?filter=a_b')).toEqual(['a_b']);
      expect(await paths('?filter=a%3Fb')).toEqual(['a?b']);
      expect(await paths('?filter=a/50%25.txt')).toEqual(['a/50%.txt']);
      expect(await paths('?filter=a/%5Ba-z%5D.html')).toEqual([]);
      expect(await paths('?filter=a%5C_b')).toEqual([]);
      expect(await paths('?prefix=a&filter=*b')).toEqual(['a?b', 'a_b']);
      // API-RULE-list-1
      const page = await call('GET', '?limit=2&offset=2');
      expect(page.json().map(({ path }: { path: string }) => path)).toEqual(all.slice(2, 4));
      expect(page.headers).toMatchObject({ 'x-total-count': '8', link: expect.stringContaining('offset=4') });
    });

    it.each(['limit=0', 'limit=501', 'offset=-1', 'sort=mime', `filter=${'*'.repeat(256)}`])(
      'index with %s is a bad request',
      async (query) => {
        expect((await call('GET', `?${query}`)).statusCode).toBe(400);
      },
    );

    it('filter of many stars is no work', async () => {
      await put(`/${'a'.repeat(255)}`);
      expect(await paths(`?filter=${'*a'.repeat(100)}b`)).toEqual([]);
    });

    // API-RULE-files-3
    it.each([
      ['/%C3%A4/%F0%9F%8C%8A.txt', 'ä/🌊.txt'],
      ['/a%2Fb', 'a/b'],
      ['/a%20b+c%2Bd', 'a b+c+d'],
      ['/%252e%252e/x', '%2e%2e/x'],
      ['/...', '...'],
      ['/a;b=c', 'a;b=c'],
      ["/quote'%22%3Cb%3E", 'quote\'"<b>'],
    ])('path %s is stored as %s', async (target, path) => {
      const reply = await rawRequest(port, 'POST', base + target, tokenOf(writer), 'odd');
      expect(reply.status).toBe(200);
      expect(await paths()).toEqual([path]);
      expect((await rawRequest(port, 'GET', base + target, tokenOf(writer))).text).toMatch(/\r\n\r\nodd$/);
      expect((await rawRequest(port, 'DELETE', base + target, tokenOf(writer))).status).toBe(200);
      expect(await paths()).toEqual([]);
    });

    it.each([
      ['/..'],
      ['/../../../etc/passwd'],
      ['/%2e%2e/x'],
      ['/a/%2E%2E%2fb'],
      ['/a/./b'],
      ['/a//b'],
      ['/a/'],
      ['/%2f'],
      ['/a%00b'],
      ['/a%5cb'],
      ['/..%5c..%5cb'],
      ['/a%0ab'],
      ['/%ff'],
      ['/%zz'],
      ['/ of 256 letters', `/${'x'.repeat(256)}`],
      ['/ of 256 bytes', `/${'%C3%A4'.repeat(128)}`],
      ['/ of 3000 letters', `/${'y'.repeat(3000)}`],
    ])('path %s is refused, and nothing is written', async (name, long?: string) => {
      const target = long ?? name;
      for (const method of ['POST', 'GET', 'DELETE']) {
        const reply = await rawRequest(port, method, base + target, tokenOf(writer), method === 'POST' ? 'x' : '');
        expect([method, reply.status]).toEqual([method, 400]);
      }
      expect(await paths()).toEqual([]);
      expect(await logs()).toEqual([]);
    });

    // API-LIMIT-file, API-ERR-413
    it('file of 10 MiB is taken, one byte more is not', async () => {
      const full = Buffer.alloc(10 * 1024 * 1024, 'moorage');
      expect((await put('/full', full)).json()).toMatchObject({ result: 'ok', size: full.length });
      const over = await put('/over', Buffer.concat([full, Buffer.from('x')]));
      expect([over.statusCode, over.json().code]).toEqual([413, 'BODY_TOO_LARGE']);
      expect(await paths()).toEqual(['full']);
    });

    // API-LIMIT-file, API-ERR-409
    it('store that is full takes no further file, but still another content of one it has', async () => {
      const id = base.split('/')[3] ?? '';
      const owner = kind === 'device' ? { device_id: id, product_id: null } : { device_id: null, product_id: id };
      const content = { ...(await world.app.make.stored(Buffer.from('x'))), mime: 'text/plain', version: null };
      const rows = Array.from({ length: storeLimits.files }, (_, number) => ({
        ...{ id: crypto.randomUUID(), ...owner, ...content, path: `f${number}`, created_at: 0, updated_at: 0 },
        ...(number === 0 && { size: storeLimits.bytes - storeLimits.files - 100 }),
      }));
      for (let at = 0; at < rows.length; at += 500) {
        await world.app.storage.db
          .insertInto('files')
          .values(rows.slice(at, at + 500))
          .execute();
      }
      const refused = await put('/more');
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'STORE_FULL']);
      expect((await put('/f1', 'y'.repeat(50))).statusCode).toBe(200);
      expect((await put('/f1', 'y'.repeat(500))).json()).toMatchObject({ statusCode: 409, code: 'STORE_FULL' });
      expect((await call('DELETE', '/f2')).statusCode).toBe(200);
      expect((await put('/more')).statusCode).toBe(200);
    });

    it('two who write one path leave one of the two contents, and no row besides', async () => {
      const contents = Array.from({ length: 8 }, (_, number) =>
        `content ${number}`.padEnd((kind === 'device' ? 7000 : 8000) + number),
      );
      const replies = await Promise.all(contents.map((content) => put('/wanted', content)));
      expect(replies.map(({ statusCode }) => statusCode)).toEqual(contents.map(() => 200));
      const found = (await call('GET', '/wanted')).body;
      expect(contents).toContain(found);
      expect((await call('GET')).json()).toMatchObject([{ path: 'wanted', size: found.length }]);
      await world.app.clock.skip(hourMs + 1);
      const { storage, blobs, clock } = world.app;
      await collectGarbage({ storage, blobs, nowMs: clock.now() });
      expect((await call('GET', '/wanted')).body).toBe(found);
      const kept = await storage.db.selectFrom('blobs').select('size').execute();
      const sizes = contents.map(({ length }) => length).filter((length) => length !== found.length);
      expect(kept.filter(({ size }) => sizes.includes(size))).toEqual([]);
    });

    it.each(['nothing', 'a/b/c', 'text/', `text/${'x'.repeat(130)}`])('media type %.9s is refused', async (mime) => {
      const reply = await put('/a', 'x', mime);
      expect([reply.statusCode, reply.json().code]).toEqual([415, 'WRONG_MEDIA_TYPE']);
      expect(await paths()).toEqual([]);
    });
  });

  // API-RULE-reset-1
  it('files go with the reset of their device, and stay when it changes its product', async () => {
    const device = await world.deviceOf('owner');
    const other = await world.deviceOf('owner');
    for (const { id } of [device, other])
      await request('POST', `/api/devices/${id}/files/a`, { payload: Buffer.from('x') });
    const body = { product_id: world.platform.product_id };
    unwrap(await world.as('owner').call('devices.activate', { params: { device_id: device.id }, body }));
    expect((await request('GET', `/api/devices/${device.id}/files`)).json()).toHaveLength(1);
    unwrap(await world.as('owner').call('devices.reset', { params: { device_id: device.id } }));
    expect((await request('GET', `/api/devices/${device.id}/files`, {}, 'admin')).json()).toEqual([]);
    expect((await request('GET', `/api/devices/${other.id}/files`)).json()).toHaveLength(1);
  });

  it('assets go with their product, and their bytes when nothing else has them', async () => {
    const at = { platform_id: world.platform.id, user_id: world.people.maker.id };
    const [one, two] = [await world.app.make.product(at), await world.app.make.product(at)];
    const write = (id: string, path: string, text: string) =>
      request('POST', `/api/products/${id}/assets/${path}`, { payload: Buffer.from(text) }, 'maker');
    await write(one.id, 'a', 'of one alone');
    await write(one.id, 'b', 'of both');
    await write(two.id, 'b', 'of both');
    unwrap(await world.as('maker').call('products.remove', { params: { product_id: one.id } }));
    const { storage, blobs, clock } = world.app;
    const rows = await storage.db.selectFrom('files').selectAll().where('product_id', '=', one.id).execute();
    expect(rows).toEqual([]);
    await clock.skip(hourMs + 1);
    await collectGarbage({ storage, blobs, nowMs: clock.now() });
    const sizes = (await storage.db.selectFrom('blobs').select('size').execute()).map(({ size }) => size);
    expect([sizes.includes('of one alone'.length), sizes.includes('of both'.length)]).toEqual([false, true]);
    expect((await request('GET', `/api/products/${two.id}/assets/b`, {}, 'maker')).body).toBe('of both');
  });
});
