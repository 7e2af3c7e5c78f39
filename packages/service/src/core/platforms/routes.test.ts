import type { Client, PlatformDetail } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const base64 = (text: string) => Buffer.from(text).toString('base64');

eachDatabase('platforms', (open) => {
  let app: TestApp;
  let admin: Client;
  let user: Client;
  beforeAll(async () => {
    app = await buildApp(await open());
    admin = app.client.as((await app.make.admin({ username: 'boss' })).token);
    user = app.client.as((await app.make.user()).token);
  });

  const add = async (body: { code: string; manufacturer?: string; part_id?: string }): Promise<PlatformDetail> =>
    unwrap(await admin.call('platforms.create', { body: { title: `Title of ${body.code}`, ...body } })).value;
  const detail = async (platform_id: string): Promise<PlatformDetail> =>
    unwrap(await user.call('platforms.get', { params: { platform_id } })).value;
  const logsOf = (type: string) =>
    app.storage.db.selectFrom('logs').selectAll().where('type', '=', type).orderBy('created_at').execute();

  describe('adding', () => {
    // API-EP-POST-platforms
    it('platform gets its record, with codes in upper case and nothing on it', async () => {
      const made = await add({ code: 'amw1', part_id: 'ABCDEF01', manufacturer: 'Acme' });
      expect(made).toEqual({
        id: made.id,
        code: 'AMW1',
        title: 'Title of amw1',
        description: '',
        part_id: 'abcdef01',
        manufacturer: 'Acme',
        avatar_id: null,
        flavor_ids: [],
        product_id: null,
        created_at: String(app.clock.now()),
        flavors: [],
        firmwares: [],
      });
      expect(await detail(made.id.toUpperCase())).toEqual(made);
      expect((await logsOf('platform.create')).at(-1)?.message).toBe('Platform AMW1 added');
    });

    it.each([
      ['code', { code: 'Twin', title: 't' }, 'Platform "TWIN" exists already'],
      ['part id', { code: 'OTHER', title: 't', part_id: '0000AAAA' }, 'Part id "0000aaaa" exists already'],
    ])('platform with a %s that is taken is refused', async (_, body, message) => {
      if (body.code === 'Twin') await add({ code: 'twin', part_id: '0000aaaa' });
      expect(await admin.call('platforms.create', { body })).toMatchObject({
        ok: false,
        error: { status: 409, body: { code: 'DUPLICATE', message } },
      });
    });

    it.each([
      [{ code: 'A B', title: 't' }, 'code'],
      [{ code: '', title: 't' }, 'code'],
      [{ code: 'A', title: '' }, 'title'],
      [{ code: 'A', title: 't', part_id: '123' }, 'part_id'],
    ])('platform %j is refused, naming the field', async (body, key) => {
      expect(await admin.call('platforms.create', { body })).toMatchObject({
        error: { status: 400, body: { code: 'INVALID_REQUEST', validation: { source: 'body', keys: [key] } } },
      });
    });

    it('platform made twenty times at once is made once', async () => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => admin.call('platforms.create', { body: { code: 'RACE', title: 't' } })),
      );
      expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
      expect(new Set(replies.map((reply) => (reply.ok ? 200 : reply.error.status)))).toEqual(new Set([200, 409]));
    });
  });

  describe('flavors', () => {
    // API-EP-POST-platforms-platform_id-flavors
    // API-EP-GET-platforms-platform_id
    it('first flavor of a platform brings its base edition product', async () => {
      const platform = await add({ code: 'FLV1', manufacturer: 'Acme' });
      const call = { params: { platform_id: platform.id }, body: { code: 'w', title: 'Base' } };
      const flavor = unwrap(await admin.call('platforms.addFlavor', call)).value;
      expect(flavor).toEqual({ id: flavor.id, code: 'W', title: 'Base', description: '', sdk: false });
      const { product_id, flavor_ids, flavors } = await detail(platform.id);
      expect({ flavor_ids, flavors }).toEqual({ flavor_ids: [flavor.id], flavors: [flavor] });
      const product = await app.storage.db
        .selectFrom('products')
        .selectAll()
        .where('id', '=', product_id ?? '')
        .executeTakeFirstOrThrow();
      expect(product).toMatchObject({
        code: 'W',
        product: 'ACME-FLV1_W',
        publication: 'published',
        claimable: 1,
        edition: 1,
        platform_id: platform.id,
        flavor_id: flavor.id,
      });
      const owner = await app.storage.db
        .selectFrom('users')
        .select('role')
        .where('id', '=', product.user_id ?? '');
      expect(await owner.executeTakeFirst()).toEqual({ role: 'admin' });
      expect((await logsOf('product.create')).at(-1)?.product_id).toBe(product.id);
    });

    it('flavor that exists is linked as it is, and leaves the base edition alone', async () => {
      const first = await add({ code: 'FLV2' });
      const second = await add({ code: 'FLV3' });
      const body = { code: 'WZ', title: 'Apps', sdk: true };
      const call = (platform_id: string, code = 'WZ') => ({ params: { platform_id }, body: { ...body, code } });
      const made = unwrap(await admin.call('platforms.addFlavor', call(first.id))).value;
      expect(made.sdk).toBe(true);
      unwrap(await admin.call('platforms.addFlavor', call(second.id, 'FLV3BASE')));
      const base = (await detail(second.id)).product_id;
      const again = { ...call(second.id), body: { code: 'wz', title: 'Other title' } };
      expect(unwrap(await admin.call('platforms.addFlavor', again)).value).toEqual(made);
      expect((await detail(second.id)).product_id).toBe(base);
      expect((await detail(second.id)).flavors.map(({ code }) => code)).toEqual(['FLV3BASE', 'WZ']);
    });

    it('flavor that the platform has is refused', async () => {
      const platform = await add({ code: 'FLV4' });
      const call = { params: { platform_id: platform.id }, body: { code: 'FOUR' } };
      unwrap(await admin.call('platforms.addFlavor', call));
      expect(await admin.call('platforms.addFlavor', call)).toMatchObject({
        error: { status: 409, body: { code: 'DUPLICATE', message: 'Flavor "FOUR" exists already' } },
      });
    });

    it('base edition whose code is taken is refused, and nothing of it stays', async () => {
      const platform = await add({ code: 'FLV5', manufacturer: 'Acme' });
      await app.make.product({ platform_id: platform.id, product: 'ACME-FLV5_FIVE' });
      const call = { params: { platform_id: platform.id }, body: { code: 'FIVE' } };
      expect(await admin.call('platforms.addFlavor', call)).toMatchObject({
        error: { status: 409, body: { message: 'Product "ACME-FLV5_FIVE" exists already' } },
      });
      expect(await detail(platform.id)).toEqual(platform);
      const flavors = app.storage.db.selectFrom('flavors').select('id').where('code', '=', 'FIVE');
      expect(await flavors.execute()).toEqual([]);
    });
  });

  describe('firmware', () => {
    const files = [
      { filename: 'kernel.bin', base64: base64('kernel'), type: 'UPGRADE_APP', version: '2.0.0.1' },
      { filename: 'help.csv', base64: base64('help'), type: 'FB' },
    ];
    const ready = async (code: string) => {
      const platform = await add({ code });
      const call = { params: { platform_id: platform.id }, body: { code: `${code}F` } };
      const flavor = unwrap(await admin.call('platforms.addFlavor', call)).value;
      return { params: { platform_id: platform.id }, flavor_id: flavor.id };
    };

    // API-EP-POST-platforms-platform_id-firmwares
    it('upload is listed with its files, newest first', async () => {
      const { params, flavor_id } = await ready('FW1');
      const body = { flavor_id, label: '2.2', version: '1.0.0.4', files };
      const made = unwrap(await admin.call('platforms.addFirmware', { params, body })).value;
      expect(made).toEqual({
        id: made.id,
        platform_id: params.platform_id,
        flavor_id,
        label: '2.2',
        version: '1.0.0.4',
        files: [
          {
            ...{ id: made.files[0]?.id, filename: 'kernel.bin', type: 'UPGRADE_APP', version: '2.0.0.1' },
            ...{ mime: 'application/octet-stream', size: 6, crc: made.files[0]?.crc, created_at: made.created_at },
          },
          {
            ...{ id: made.files[1]?.id, filename: 'help.csv', type: 'FB', version: '1.0.0.0' },
            ...{ mime: 'text/csv', size: 4, crc: made.files[1]?.crc, created_at: made.created_at },
          },
        ],
        created_at: String(app.clock.now()),
      });
      await app.clock.advance(10);
      unwrap(await admin.call('platforms.addFirmware', { params, body: { ...body, version: '1.0.0.3', files: [] } }));
      const { firmwares } = await detail(params.platform_id);
      expect(firmwares.map(({ version }) => version)).toEqual(['1.0.0.3', '1.0.0.4']);
      expect(firmwares[1]?.files.map(({ filename }) => filename)).toEqual(['help.csv', 'kernel.bin']);
    });

    it('bytes are in the blob store before the record is', async () => {
      const { params, flavor_id } = await ready('FW2');
      const body = { flavor_id, label: '2.2', version: '1.0.0.4', files };
      const made = unwrap(await admin.call('platforms.addFirmware', { params, body })).value;
      const rows = await app.storage.db
        .selectFrom('firmware_files')
        .select(['sha256', 'crc'])
        .where('firmware_id', '=', made.id)
        .execute();
      for (const { sha256 } of rows) expect(await app.blobs.open(sha256)).toBeDefined();
      expect(new Set(made.files.map(({ crc }) => Number.parseInt(crc, 16)))).toEqual(
        new Set(rows.map(({ crc }) => crc)),
      );
    });

    it.each([
      ['the same build twice', {}, 409, 'DUPLICATE', 'Firmware "L-1.0.0.0" exists already'],
      ['an unknown flavor', { flavor_id: unknownId }, 404, 'NOT_FOUND', 'Flavor not found'],
      ['a version of three parts', { version: '1.0.0' }, 400, 'INVALID_VERSION', 'Version "1.0.0" is not four'],
      ['a part that is too high', { version: '1.0.0.1000000000000000' }, 400, 'INVALID_VERSION', 'Version "1.0.0.1000'],
      ['a wrong flavor id', { flavor_id: 'x' }, 400, 'INVALID_REQUEST', 'Field "flavor_id" of the body'],
      [
        'a file twice',
        { version: '2.0.0.0', files: [{ filename: 'a' }, { filename: 'a' }] },
        409,
        'DUPLICATE',
        'File "a" exists already',
      ],
      [
        'base64 that is none',
        { version: '2.0.0.0', files: [{ filename: 'a', base64: '*' }] },
        400,
        'INVALID_BASE64',
        'Field "files.0.base64" is not valid base64',
      ],
      [
        'a file without a name',
        { version: '2.0.0.0', files: [{ base64: '' }] },
        400,
        'INVALID_REQUEST',
        'Field "files.0.filename"',
      ],
    ])('upload with %s is refused', async (title, change, status, code, message) => {
      const { params, flavor_id } = await ready(`R${title.replace(/\W/g, '')}`);
      const body = { flavor_id, label: 'L', version: '1.0.0.0', files: [] };
      unwrap(await admin.call('platforms.addFirmware', { params, body }));
      // The wrong bodies do not fit the type: that is what they are for.
      const wrong = { ...body, ...change } as typeof body;
      const reply = await admin.call('platforms.addFirmware', { params, body: wrong });
      expect(reply).toMatchObject({ error: { status, body: { code } } });
      expect(reply.ok ? '' : reply.error.body.message).toContain(message);
    });

    it('upload for a flavor of another platform is refused', async () => {
      const { params } = await ready('FW3');
      const other = await ready('FW4');
      const body = { flavor_id: other.flavor_id, label: 'L', version: '1.0.0.0', files: [] };
      expect(await admin.call('platforms.addFirmware', { params, body })).toMatchObject({
        error: { status: 409, body: { code: 'PLATFORM_MISMATCH', message: 'Flavor "FW4F" is not for platform "FW3"' } },
      });
    });
  });

  describe('reading', () => {
    // API-EP-GET-platforms, API-RULE-list-1, API-RULE-list-2
    it('list pages, sorts and searches', async () => {
      for (const code of ['LST_C', 'LST_A', 'LST_B']) {
        await add({ code });
        await app.clock.advance(1);
      }
      const list = async (query: {
        q?: string;
        sort?: 'code' | '-code' | '-created_at';
        limit?: number;
        offset?: number;
      }) => unwrap(await user.call('platforms.list', { query: { q: 'lst_', ...query } }));
      const codes = async (query: Parameters<typeof list>[0]) => (await list(query)).value.map(({ code }) => code);
      expect(await codes({})).toEqual(['LST_B', 'LST_A', 'LST_C']);
      expect(await codes({ sort: 'code' })).toEqual(['LST_A', 'LST_B', 'LST_C']);
      expect(await codes({ sort: '-code', limit: 1, offset: 1 })).toEqual(['LST_B']);
      expect((await list({ limit: 1 })).total).toBe(3);
      expect(await codes({ q: 'title of lst_a' })).toEqual(['LST_A']);
      expect(await codes({ q: 'LST%' })).toEqual([]);
    });

    it('list shows the flavors of each platform', async () => {
      const { id, flavor } = await app.make.platform({ code: 'LSTFLAVOR' });
      const { value } = unwrap(await user.call('platforms.list', { query: { q: 'lstflavor' } }));
      expect(value).toMatchObject([{ id, flavor_ids: [flavor.id] }]);
      expect(value[0]).not.toHaveProperty('firmwares');
    });

    it.each(['title,code', 'part_id', ''])('list sorted by "%s" is refused', async (sort) => {
      const reply = await app.api.inject({
        url: `/api/platforms?sort=${sort}`,
        headers: { authorization: `Bearer ${(await app.make.user()).token}` },
      });
      expect(reply.json()).toMatchObject({ statusCode: 400, validation: { source: 'query', keys: ['sort'] } });
    });
  });

  describe('refusals', () => {
    const params = { platform_id: unknownId };
    const firmware = { flavor_id: unknownId, label: 'L', version: '1.0.0.0', files: [] };

    it('unknown platform is not found', async () => {
      const notFound = { error: { status: 404, body: { code: 'NOT_FOUND', message: 'Platform not found' } } };
      expect(await user.call('platforms.get', { params })).toMatchObject(notFound);
      expect(await admin.call('platforms.addFlavor', { params, body: { code: 'W' } })).toMatchObject(notFound);
      expect(await admin.call('platforms.addFirmware', { params, body: firmware })).toMatchObject(notFound);
    });

    it('malformed id is refused', async () => {
      expect(await user.call('platforms.get', { params: { platform_id: 'x' } })).toMatchObject({
        error: { status: 400, body: { validation: { source: 'params', keys: ['platform_id'] } } },
      });
    });

    // API-RULE-access-1
    it('changes by others than administrators are refused', async () => {
      const forbidden = {
        error: { status: 403, body: { message: 'You may not change platforms, flavors and firmware' } },
      };
      expect(await user.call('platforms.create', { body: { code: 'NO', title: 'No' } })).toMatchObject(forbidden);
      expect(await user.call('platforms.addFlavor', { params, body: { code: 'W' } })).toMatchObject(forbidden);
      expect(await user.call('platforms.addFirmware', { params, body: firmware })).toMatchObject(forbidden);
    });

    it('calls without a token are refused', async () => {
      const unauthenticated = { error: { status: 401, body: { code: 'UNAUTHENTICATED' } } };
      expect(await app.client.call('platforms.list')).toMatchObject(unauthenticated);
      expect(await app.client.call('platforms.get', { params })).toMatchObject(unauthenticated);
      expect(await app.client.call('platforms.create', { body: { code: 'NO', title: 'No' } })).toMatchObject(
        unauthenticated,
      );
    });
  });
});
