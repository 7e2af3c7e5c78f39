import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { everybody, type ProductScene, productScene } from '../../testing/product-scene.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('products', (open) => {
  let app: ProductScene['app'];
  let platform: ProductScene['platform'];
  let people: ProductScene['people'];
  let as: ProductScene['as'];
  let add: ProductScene['add'];
  let get: ProductScene['get'];
  let occupy: ProductScene['occupy'];
  let logTypes: ProductScene['logTypes'];
  beforeAll(async () => {
    ({ app, platform, people, as, add, get, occupy, logTypes } = await productScene(await open()));
  });

  describe('creating', () => {
    // API-EP-POST-products, API-RULE-product-3, API-STATE-product-none-preview, API-RULE-model-2,
    // API-EP-GET-products-product_id, API-FIELD-product-title, API-FIELD-product-code, API-FIELD-product-meta,
    // API-FIELD-product-summary, API-FIELD-product-description, API-FIELD-product-platform_id,
    // API-FIELD-product-flavor_id, API-FIELD-product-state: the whole record is compared.
    it('product gets its record (Reference: records 1.2)', async () => {
      const body = { title: 'Lamp', code: 'lamp', meta: 'm', description: 'd', platform_id: platform.id.toUpperCase() };
      const made = unwrap(await as('owner').call('products.create', { body })).value;
      const now = String(app.clock.now());
      expect(made).toEqual({
        id: made.id,
        title: 'Lamp',
        code: 'LAMP',
        product: 'OWNER-BRT106_LAMP',
        meta: 'm',
        summary: '',
        description: 'd',
        user_id: people.owner.id,
        user: 'owner',
        customer_id: null,
        customer: null,
        platform_id: platform.id,
        platform: 'BRT106',
        flavor_id: platform.flavor.id,
        flavor: platform.flavor.code,
        firmware: null,
        firmware_version: null,
        state: 'preview',
        tag: null,
        version: null,
        release: null,
        claimable: true,
        production: false,
        part_number: null,
        role: 'owner',
        device_count: 0,
        bundle_count: 0,
        created_at: now,
        updated_at: now,
      });
      expect(await get(made.id)).toEqual(made);
      expect(await logTypes(made.id)).toEqual(['product.create']);
    });

    it('product takes the flavor that is sent', async () => {
      const flavor = await app.make.flavor();
      await app.storage.db
        .insertInto('platform_flavors')
        .values({ platform_id: platform.id, flavor_id: flavor.id })
        .execute();
      const body = { title: 'A', code: 'APP', meta: '', platform_id: platform.id, flavor_id: flavor.id };
      const made = unwrap(await as('owner').call('products.create', { body })).value;
      expect(made).toMatchObject({ flavor_id: flavor.id, flavor: flavor.code });
    });

    it('product with a code that starts with its platform does not get it twice', async () => {
      expect((await add({ code: 'BRT106_twin' })).product).toBe('OWNER-BRT106_TWIN');
      const body = { title: 'T', code: 'TWIN', meta: '', platform_id: platform.id };
      expect(await as('owner').call('products.create', { body })).toMatchObject({
        error: { status: 409, body: { code: 'DUPLICATE', message: 'Product "OWNER-BRT106_TWIN" exists already' } },
      });
      // Another owner, another prefix.
      const other = unwrap(await as('stranger').call('products.create', { body })).value;
      expect(other.product).toBe('STRANGER-BRT106_TWIN');
    });

    it.each([
      ['an unknown platform', { platform_id: unknownId }, 404, 'NOT_FOUND', 'Platform not found'],
      ['an unknown flavor', { flavor_id: unknownId }, 404, 'NOT_FOUND', 'Flavor not found'],
      ['no title', { title: undefined }, 400, 'INVALID_REQUEST', 'Field "title"'],
      ['no code', { code: undefined }, 400, 'INVALID_REQUEST', 'Field "code"'],
      ['no meta', { meta: undefined }, 400, 'INVALID_REQUEST', 'Field "meta"'],
      ['no platform', { platform_id: undefined }, 400, 'INVALID_REQUEST', 'Field "platform_id"'],
      ['a code with a blank', { code: 'A B' }, 400, 'INVALID_REQUEST', 'Field "code"'],
      ['a title of a number', { title: 7 }, 400, 'INVALID_REQUEST', 'Field "title"'],
      ['a title that is too long', { title: 'x'.repeat(129) }, 400, 'INVALID_REQUEST', 'Field "title"'],
    ])('product with %s is refused', async (_, change, status, code, message) => {
      const body = { title: 'T', code: 'REFUSED', meta: '', platform_id: platform.id };
      // The wrong bodies do not fit the type: that is what they are for.
      const reply = await as('owner').call('products.create', { body: { ...body, ...change } as typeof body });
      expect(reply).toMatchObject({ error: { status, body: { code } } });
      expect(reply.ok ? '' : reply.error.body.message).toContain(message);
    });

    it('product with a flavor of another platform is refused', async () => {
      const other = await app.make.platform();
      const body = { title: 'T', code: 'X', meta: '', platform_id: platform.id, flavor_id: other.flavor.id };
      expect(await as('owner').call('products.create', { body })).toMatchObject({
        error: { status: 409, body: { code: 'PLATFORM_MISMATCH' } },
      });
    });

    it('product made twenty times at once is made once', async () => {
      const body = { title: 'T', code: 'RACE', meta: '', platform_id: platform.id };
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => as('owner').call('products.create', { body })),
      );
      const statuses = replies.map((reply) => (reply.ok ? 200 : reply.error.status));
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    });
  });

  describe('record', () => {
    // API-RULE-product-1
    it('shows version and firmware of the newest published bundle, the highest tag and the counts', async () => {
      const { id } = await add();
      const make = async (
        version: string,
        state: 'preview' | 'published' | 'archive',
        tag: 'alpha' | 'beta' | null,
      ) => {
        await app.clock.advance(1);
        const fw = { platform_id: platform.id, flavor_id: platform.flavor.id };
        const firmware = await app.make.firmware({ ...fw, label: `L${version}` });
        await app.make.bundle({
          product_id: id,
          firmware_id: firmware.id,
          user_id: people.owner.id,
          version,
          state,
          tag,
        });
        return firmware.version;
      };
      await make('9.0.0.0', 'published', 'beta');
      const newest = await make('1.0.0.0', 'published', 'alpha');
      await make('2.0.0.0', 'preview', null);
      await make('3.0.0.0', 'archive', null);
      await occupy(id);
      await occupy(id);
      expect(await get(id)).toMatchObject({
        version: '1.0.0.0',
        firmware: 'L1.0.0.0',
        firmware_version: newest,
        tag: 'beta',
        bundle_count: 4,
        device_count: 2,
      });
    });

    it('shows the caller their role', async () => {
      const { id } = await add({ state: 'published' });
      const roles = async () => {
        const seen: Record<string, string> = {};
        for (const who of everybody) seen[who] = (await get(id, who)).role;
        return seen;
      };
      expect(await roles()).toEqual({
        admin: 'none',
        owner: 'owner',
        manager: 'manager',
        tester: 'tester',
        stranger: 'none',
      });
    });
  });

  describe('updating', () => {
    // API-EP-PUT-products-product_id
    it('changes texts, and the time of the change', async () => {
      const made = await add();
      await app.clock.advance(5);
      const texts = { title: 'New', summary: 's', description: 'd', meta: 'm' };
      const call = { params: { product_id: made.id }, body: { code: made.code.toLowerCase(), ...texts } };
      const changed = unwrap(await as('manager').call('products.update', call)).value;
      expect(changed).toEqual({ ...made, ...texts, role: 'manager', updated_at: String(app.clock.now()) });
      expect(await logTypes(made.id)).toEqual(['product.create', 'product.update']);
      await app.clock.advance(5);
      // The same again is no change.
      expect(unwrap(await as('manager').call('products.update', call)).value).toEqual(changed);
      expect(await logTypes(made.id)).toEqual(['product.create', 'product.update']);
    });

    // API-STATE-product-update
    it('publishes and archives', async () => {
      const { id, code } = await add();
      const put = async (state: 'published' | 'archive') =>
        unwrap(await as('owner').call('products.update', { params: { product_id: id }, body: { code, state } })).value
          .state;
      expect([await put('published'), await put('published')]).toEqual(['published', 'published']);
      expect([await put('archive'), await put('published')]).toEqual(['archive', 'published']);
      expect((await logTypes(id)).filter((type) => type === 'product.state')).toHaveLength(3);
    });

    // API-RULE-product-2
    it('with another code or none is refused', async () => {
      const { id } = await add();
      const call = (body: { code: string }) =>
        as('owner').call('products.update', { params: { product_id: id }, body });
      const refused = (keys: string[]) => ({
        error: { status: 400, body: { code: 'INVALID_REQUEST', validation: { source: 'body', keys } } },
      });
      expect(await call({ code: 'ANOTHER' })).toMatchObject(refused(['code']));
      expect(await call({} as { code: string })).toMatchObject(refused(['code']));
      expect(await call({ code: 'X', state: 'preview' } as { code: string })).toMatchObject(refused(['state']));
    });

    it('state of a product in trash is refused', async () => {
      const { id, code } = await add();
      const params = { product_id: id };
      unwrap(await as('owner').call('products.setState', { params, body: { state: 'trash' } }));
      expect(await as('owner').call('products.update', { params, body: { code, state: 'published' } })).toMatchObject({
        error: { status: 409, body: { code: 'ILLEGAL_TRANSITION' } },
      });
    });
  });

  describe('trash and deletion', () => {
    // API-STATE-product-set, API-STATE-product-any-trash, API-STATE-product-trash-active
    // API-EP-POST-products-product_id-state
    it('product goes to trash and comes back as it was', async () => {
      const { id } = await add({ state: 'published' });
      const set = async (state: 'active' | 'trash') =>
        unwrap(await as('manager').call('products.setState', { params: { product_id: id }, body: { state } })).value;
      expect(await set('active')).toEqual({ result: 'ok' });
      expect([await set('trash'), await set('trash')]).toEqual([{ result: 'ok' }, { result: 'ok' }]);
      expect((await get(id)).state).toBe('trash');
      await set('active');
      expect((await get(id)).state).toBe('published');
      expect((await logTypes(id)).filter((type) => type === 'product.state')).toHaveLength(3);
    });

    // API-EP-DELETE-products-product_id
    it('deletion takes bundles, resources and tokens along', async () => {
      const { id } = await add();
      const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
      const bundle = await app.make.bundle({ product_id: id, firmware_id: firmware.id, user_id: people.owner.id });
      const resource = await app.make.resource(Buffer.from('x'), { bundle_id: bundle.id });
      const params = { product_id: id };
      unwrap(await as('owner').call('products.addToken', { params, body: {} }));
      expect(unwrap(await as('owner').call('products.remove', { params })).value).toEqual({ result: 'ok' });
      expect(await as('owner').call('products.get', { params })).toMatchObject({ error: { status: 404 } });
      for (const [table, row] of [
        ['bundles', bundle.id],
        ['resources', resource.id],
      ] as const) {
        expect(await app.storage.db.selectFrom(table).select('id').where('id', '=', row).execute()).toEqual([]);
      }
      expect(await logTypes(id)).toContain('product.delete');
    });

    it('product with activated devices, and a base edition, stay', async () => {
      const { id } = await add();
      await occupy(id);
      const inUse = { error: { status: 409, body: { code: 'PRODUCT_IN_USE' } } };
      for (const product_id of [id, platform.edition.id]) {
        const params = { product_id };
        expect(await as('admin').call('products.setState', { params, body: { state: 'trash' } })).toMatchObject(inUse);
        expect(await as('admin').call('products.remove', { params })).toMatchObject(inUse);
      }
    });

    it.each(['preview', 'published', 'archive'])('state %s is not one that can be set', async (state) => {
      const { id } = await add();
      const body = { state } as unknown as { state: 'active' };
      expect(await as('owner').call('products.setState', { params: { product_id: id }, body })).toMatchObject({
        error: { status: 400, body: { validation: { keys: ['state'] } } },
      });
    });
  });
});
