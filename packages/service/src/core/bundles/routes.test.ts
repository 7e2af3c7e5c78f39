import { bundleStates, type Tag } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BundleScene, bundleScene } from '../../testing/bundle-scene.ts';
import { eachDatabase } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const ok = { result: 'ok' };

eachDatabase('bundles', (open) => {
  let app: BundleScene['app'];
  let platform: BundleScene['platform'];
  let owner: BundleScene['owner'];
  let client: BundleScene['client'];
  let firmware_id: BundleScene['firmware_id'];
  let request: BundleScene['request'];
  let addProduct: BundleScene['addProduct'];
  let add: BundleScene['add'];
  let get: BundleScene['get'];
  let setState: BundleScene['setState'];
  let setTag: BundleScene['setTag'];
  let given: BundleScene['given'];
  let logTypes: BundleScene['logTypes'];
  beforeAll(async () => {
    ({ app, platform, owner, client, firmware_id, request, addProduct, add, get, setState, setTag, given, logTypes } =
      await bundleScene(await open()));
  });

  describe('creating', () => {
    // API-EP-POST-products-product_id-bundles, API-RULE-bundle-create-1, API-RULE-bundle-create-4, API-RULE-model-3,
    // API-RULE-time-1, API-EP-GET-bundles-bundle_id, API-FIELD-bundle-id, API-FIELD-bundle-user_id,
    // API-FIELD-bundle-firmware_id, API-FIELD-bundle-product_id, API-FIELD-bundle-state, API-FIELD-bundle-tag,
    // API-FIELD-bundle-version, API-FIELD-bundle-created_at, API-FIELD-bundle-part_number,
    // API-FIELD-bundle-description, API-FIELD-bundle-remote_id, API-FIELD-bundle-remote_product,
    // API-FIELD-bundle-firmware, API-FIELD-bundle-device_count, API-FIELD-bundle-device_count_bundle_ok,
    // API-FIELD-bundle-product, API-FIELD-bundle-platform_id, API-FIELD-bundle-platform, API-FIELD-bundle-resources,
    // API-FIELD-bundle-bversion: the whole record is compared.
    it('bundle gets the record of the specification', async () => {
      const product = await addProduct({ part_number: 'PN-1' });
      const made = await add(product.id);
      expect(made).toEqual({
        id: made.id,
        user_id: owner.id,
        firmware_id,
        product_id: product.id,
        state: 'preview',
        tag: null,
        version: '0.0.0.1',
        created_at: String(app.clock.now()),
        part_number: 'PN-1',
        description: '',
        remote_id: null,
        remote_product: null,
        firmware: '2.2-1.0.0.4',
        device_count: 0,
        device_count_bundle_ok: 0,
        product: product.product,
        platform_id: platform.id,
        platform: 'BRT106',
        resources: [],
        bversion: `${product.product}-0.0.0.1, 2023-11-14T22:13:20Z, 2.2-1.0.0.4`,
      });
      expect(await get(made.id.toUpperCase())).toEqual(made);
      expect(await logTypes(made.id)).toEqual(['bundle.create']);
    });

    // API-RULE-bundle-create-2, API-RULE-bundle-create-3, API-RULE-bundle-3, API-ERR-3, API-VER-1
    it('versions follow the rules, step by step', async () => {
      const { id } = await addProduct();
      const steps: readonly [wanted: string | null | undefined, outcome: string | number][] = [
        [undefined, '0.0.0.1'],
        ['', '0.0.0.2'],
        ['0.9.0.9', '0.9.0.9'],
        [null, '0.9.0.10'],
        [' ', '0.9.0.11'],
        [undefined, '0.9.0.12'],
        ['0.9.0.12', 409],
        ['00.9.0.012', 409],
        ['0.1.0.0', '0.1.0.0'],
        [undefined, '0.9.0.13'],
        ['1.2.3', 400],
        ['1.2.3.1000000000000000', 400],
        ['1.0.0.65535', '1.0.0.65535'],
        [undefined, '1.0.0.65536'],
        // Of one more digit: the highest one in both databases.
        ['1.0.0.99999', '1.0.0.99999'],
        [undefined, '1.0.0.100000'],
        [undefined, '1.0.0.100001'],
        ['1.0.1.0', '1.0.1.0'],
        ['1.0.0.999999999999998', '1.0.0.999999999999998'],
        [undefined, '1.0.1.1'],
        ['65536.65536.65536.999999999999999', '65536.65536.65536.999999999999999'],
        [undefined, 409],
      ];
      for (const [wanted, outcome] of steps) {
        const reply = await request(id, wanted);
        const found = reply.ok ? reply.value.value.version : reply.error.status;
        expect({ wanted, found }).toEqual({ wanted, found: outcome });
      }
    });

    it.each([
      ['0.0.0.1', 409, 'DUPLICATE', 'Version "0.0.0.1" exists already'],
      ['x', 400, 'INVALID_VERSION', 'Version "x" is not four dot-separated numbers of 0 to 999999999999999'],
    ])('version "%s" that cannot be is refused by name', async (version, status, code, message) => {
      const { id } = await addProduct();
      await add(id);
      expect(await request(id, version)).toMatchObject({ error: { status, body: { code, message } } });
    });

    it.each([
      ['no product', { product_id: undefined }, 400, 'INVALID_REQUEST'],
      ['no firmware', { firmware_id: undefined }, 400, 'INVALID_REQUEST'],
      ['a firmware id that is none', { firmware_id: 'x' }, 400, 'INVALID_REQUEST'],
      ['an unknown firmware', { firmware_id: unknownId }, 404, 'NOT_FOUND'],
      ['another product than that of the path', { product_id: unknownId }, 400, 'INVALID_REQUEST'],
      ['a version that is a number', { version: 1 }, 400, 'INVALID_REQUEST'],
    ])('bundle with %s is refused', async (_, change, status, code) => {
      const { id: product_id } = await addProduct();
      // The wrong bodies do not fit the type: that is what they are for.
      const body = { product_id, firmware_id, ...change } as { product_id: string; firmware_id: string };
      expect(await client.call('bundles.create', { params: { product_id }, body })).toMatchObject({
        error: { status, body: { code } },
      });
    });

    it('bundle with firmware of another platform or edition is refused', async () => {
      const { id: product_id } = await addProduct();
      const other = await app.make.platform();
      const edition = await app.make.flavor();
      for (const ids of [
        { platform_id: other.id, flavor_id: other.flavor.id },
        { platform_id: platform.id, flavor_id: edition.id },
      ]) {
        const firmware = await app.make.firmware(ids);
        const body = { product_id, firmware_id: firmware.id };
        expect(await client.call('bundles.create', { params: { product_id }, body })).toMatchObject({
          error: { status: 409, body: { code: 'PLATFORM_MISMATCH' } },
        });
      }
    });
  });

  describe('state', () => {
    // API-EP-POST-bundles-bundle_id-state: every state x trigger, over HTTP. API-RULE-bundle-state-4, API-ERR-1
    const allowed: ReadonlySet<string> = new Set([
      'preview published', // API-STATE-bundle-preview-published
      'preview trash', // API-STATE-bundle-preview-trash
      'archive published', // API-STATE-bundle-archive-published
      'archive trash', // API-STATE-bundle-archive-trash
      'published archive', // API-STATE-bundle-published-archive
    ]);
    const cases = bundleStates.flatMap((from) => [...bundleStates, 'trash' as const].map((to) => ({ from, to })));

    it.each(cases)('$from asked for $to', async ({ from, to }) => {
      const bundle = await given((await addProduct()).id, from);
      const reply = await setState(bundle.id, to);
      if (from !== to && !allowed.has(`${from} ${to}`)) {
        expect(reply).toMatchObject({ error: { status: 409, body: { code: 'ILLEGAL_TRANSITION' } } });
        expect((await get(bundle.id)).state).toBe(from);
        return;
      }
      expect(unwrap(reply).value).toEqual(ok);
      const params = { bundle_id: bundle.id };
      // API-RULE-bundle-create-6
      if (to === 'trash')
        expect(await client.call('bundles.get', { params })).toMatchObject({ error: { status: 404 } });
      else expect((await get(bundle.id)).state).toBe(to);
      // API-RULE-bundle-1: the state it has already is no change.
      expect(await logTypes(bundle.id)).toEqual(from === to ? [] : ['bundle.state']);
    });

    // API-RULE-tag-2
    it('of a tagged bundle stays', async () => {
      const bundle = await given((await addProduct()).id, 'published', 'alpha');
      expect(await setState(bundle.id, 'archive')).toMatchObject({
        error: { status: 409, body: { code: 'BUNDLE_TAGGED' } },
      });
      expect(unwrap(await setState(bundle.id, 'published')).value).toEqual(ok);
    });

    it.each(['deleted', '', null, 1])('%s is refused', async (state) => {
      const bundle = await given((await addProduct()).id, 'preview');
      expect(await setState(bundle.id, state as 'trash')).toMatchObject({
        error: { status: 400, body: { validation: { source: 'body', keys: ['state'] } } },
      });
    });

    // API-RULE-bundle-4
    it('trash leaves updates their version texts and takes the bundle and its resources', async () => {
      const product = await addProduct();
      const bundle = await given(product.id, 'archive');
      const resource = await app.make.resource(Buffer.from('x'), { bundle_id: bundle.id });
      const device = await update(product.id, bundle.id, 'done');
      unwrap(await setState(bundle.id, 'trash'));
      const { db } = app.storage;
      const row = await db.selectFrom('updates').selectAll().where('device_id', '=', device.id).executeTakeFirst();
      expect(row).toMatchObject({ to_bundle_id: null, from_bundle_id: null, to_version: bundle.version });
      expect(await db.selectFrom('resources').select('id').where('id', '=', resource.id).execute()).toEqual([]);
    });
  });

  /** A device whose current update leads to a bundle. */
  async function update(product_id: string, bundle_id: string, state: 'offered' | 'done' | 'failed' | 'superseded') {
    const device = await app.make.device({ platform_id: platform.id, product_id });
    const { db } = app.storage;
    const { id } = await db
      .insertInto('updates')
      .values({
        device_id: device.id,
        product_id,
        cause: 'device',
        from_bundle_id: bundle_id,
        from_bversion: null,
        to_bundle_id: bundle_id,
        to_version: (await get(bundle_id)).version,
        to_bversion: 'text',
        state,
        result: null,
        reason: null,
        created_at: app.clock.now(),
        downloading_at: null,
        installed_at: null,
        finished_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db.updateTable('devices').set({ update_id: id }).where('id', '=', device.id).execute();
    return device;
  }

  describe('tag', () => {
    // API-EP-POST-bundles-bundle_id-tag, API-RULE-tag-1, API-RULE-tag-3, API-EP-GET-products-product_id-bundles-tag
    it('moves from bundle to bundle, and off', async () => {
      const { id: product_id } = await addProduct();
      const [first, second] = [await given(product_id, 'published'), await given(product_id, 'published')];
      const carrier = async (tag: Tag) => {
        const reply = await client.call('bundles.byTag', { params: { product_id, tag } });
        return reply.ok ? reply.value.value.id : reply.error.status;
      };
      expect(unwrap(await setTag(first.id, 'release')).value).toEqual(ok);
      expect(await carrier('release')).toBe(first.id);
      unwrap(await setTag(second.id, 'release'));
      expect([await carrier('release'), (await get(first.id)).tag]).toEqual([second.id, null]);
      // A bundle holds one tag: with beta it is no longer the release.
      unwrap(await setTag(second.id, 'beta'));
      expect([await carrier('release'), await carrier('beta')]).toEqual([404, second.id]);
      unwrap(await setTag(second.id, 'beta'));
      unwrap(await setTag(second.id, ''));
      unwrap(await setTag(second.id, ''));
      expect(await carrier('beta')).toBe(404);
      expect(await logTypes(second.id)).toEqual(['bundle.tag', 'bundle.tag', 'bundle.tag']);
    });

    it('of one product leaves other products alone', async () => {
      const [one, two] = [await addProduct(), await addProduct()];
      const [first, second] = [await given(one.id, 'published', 'beta'), await given(two.id, 'published')];
      unwrap(await setTag(second.id, 'beta'));
      expect((await get(first.id)).tag).toBe('beta');
    });

    // API-RULE-bundle-state-2, API-RULE-bundle-state-3
    it.each(['preview', 'archive'] as const)('on a bundle in %s is refused, except the empty one', async (state) => {
      const bundle = await given((await addProduct()).id, state);
      for (const tag of ['alpha', 'beta', 'release'] as const) {
        expect(await setTag(bundle.id, tag)).toMatchObject({
          error: { status: 409, body: { code: 'BUNDLE_NOT_PUBLISHED' } },
        });
      }
      expect(unwrap(await setTag(bundle.id, '')).value).toEqual(ok);
    });

    // API-RULE-bundle-state-3
    it.each(['gamma', 'Release', null, 0])('%s is refused', async (tag) => {
      const bundle = await given((await addProduct()).id, 'published');
      expect(await setTag(bundle.id, tag as Tag)).toMatchObject({
        error: { status: 400, body: { validation: { source: 'body', keys: ['tag'] } } },
      });
    });

    it('that no bundle carries is not found; one that is no tag is refused', async () => {
      const { id: product_id } = await addProduct();
      const byTag = (tag: string) => client.call('bundles.byTag', { params: { product_id, tag: tag as Tag } });
      expect(await byTag('alpha')).toMatchObject({
        error: { status: 404, body: { code: 'NOT_FOUND', message: 'Bundle with this tag not found' } },
      });
      expect(await byTag('gamma')).toMatchObject({
        error: { status: 400, body: { validation: { source: 'params', keys: ['tag'] } } },
      });
    });
  });

  describe('list', () => {
    // API-EP-GET-products-product_id-bundles, API-FIELD-bundle-device_count, API-FIELD-bundle-device_count_bundle_ok
    it('has every field of the record, with the devices counted', async () => {
      const { id: product_id } = await addProduct();
      const bundle = await given(product_id, 'published', 'release');
      for (const state of ['offered', 'done', 'done', 'failed'] as const) await update(product_id, bundle.id, state);
      // An update that is no longer the device's current one does not count.
      const moved = await update(product_id, bundle.id, 'superseded');
      await app.storage.db.updateTable('devices').set({ update_id: null }).where('id', '=', moved.id).execute();
      const { value } = unwrap(await client.call('bundles.list', { params: { product_id } }));
      const { product, platform_id, platform: _, resources, bversion, ...record } = await get(bundle.id);
      expect(value).toEqual([record]);
      expect(record).toMatchObject({
        device_count: 4,
        device_count_bundle_ok: 2,
        tag: 'release',
        firmware: '2.2-1.0.0.4',
      });
    });

    it('pages, filters and sorts versions as numbers', async () => {
      const { id: product_id } = await addProduct();
      const params = { product_id };
      for (const version of ['0.0.0.9', '0.0.0.10', '0.0.0.2']) {
        await app.clock.advance(1);
        await add(product_id, version);
      }
      const [first] = unwrap(await client.call('bundles.list', { params })).value;
      unwrap(await setState(first?.id ?? '', 'published'));
      unwrap(await setTag(first?.id ?? '', 'alpha'));
      const versions = async (query: object) =>
        unwrap(await client.call('bundles.list', { params, query })).value.map(({ version }) => version);
      expect(await versions({})).toEqual(['0.0.0.2', '0.0.0.10', '0.0.0.9']);
      expect(await versions({ sort: 'version' })).toEqual(['0.0.0.2', '0.0.0.9', '0.0.0.10']);
      expect(await versions({ sort: '-version', limit: 1, offset: 1 })).toEqual(['0.0.0.9']);
      expect(await versions({ state: 'published' })).toEqual(['0.0.0.2']);
      expect(await versions({ state: 'archive' })).toEqual([]);
      expect(await versions({ tag: 'alpha' })).toEqual(['0.0.0.2']);
      expect(await versions({ tag: '', sort: 'version' })).toEqual(['0.0.0.9', '0.0.0.10']);
      expect(unwrap(await client.call('bundles.list', { params, query: { limit: 1 } })).total).toBe(3);
    });

    it.each([{ sort: 'tag' }, { state: 'trash' }, { tag: 'x' }, { limit: 0 }])('with %j is refused', async (query) => {
      const { id: product_id } = await addProduct();
      expect(await client.call('bundles.list', { params: { product_id }, query: query as object })).toMatchObject({
        error: { status: 400, body: { validation: { source: 'query', keys: Object.keys(query) } } },
      });
    });
  });
});
