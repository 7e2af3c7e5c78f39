import type { CallInput, Client, ProductRecord, productsContract } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('products', (open) => {
  let app: TestApp;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  // Safe: filled before any test runs.
  const people = {} as Record<'admin' | 'owner' | 'manager' | 'tester' | 'stranger', MadeUser>;
  const as = (who: keyof typeof people): Client => app.client.as(people[who].token);

  beforeAll(async () => {
    app = await buildApp(await open());
    platform = await app.make.platform({ code: 'BRT106' });
    people.admin = await app.make.admin();
    for (const name of ['owner', 'manager', 'tester', 'stranger'] as const) {
      people[name] = await app.make.user({ username: name });
    }
  });

  let count = 0;
  /** A product of the owner, with a manager and a tester. */
  const add = async (body: { code?: string; state?: 'published' } = {}): Promise<ProductRecord> => {
    const { code = `P${++count}`, state } = body;
    const made = unwrap(
      await as('owner').call('products.create', { body: { title: 'T', code, meta: '', platform_id: platform.id } }),
    ).value;
    await app.make.member(made.id, people.manager.id, 'manager');
    await app.make.member(made.id, people.tester.id, 'tester');
    if (!state) return made;
    return unwrap(await as('owner').call('products.update', { params: { product_id: made.id }, body: { code, state } }))
      .value;
  };
  const get = async (id: string, who: keyof typeof people = 'owner'): Promise<ProductRecord> =>
    unwrap(await as(who).call('products.get', { params: { product_id: id } })).value;
  const occupy = (product_id: string, user_id: string | null = null) =>
    app.make.device({ platform_id: platform.id, product_id, user_id });
  const logTypes = async (product_id: string): Promise<string[]> =>
    (await app.storage.db.selectFrom('logs').select('type').where('product_id', '=', product_id).execute()).map(
      ({ type }) => type,
    );

  describe('creating', () => {
    // API-EP-POST-products, API-RULE-product-3, API-STATE-product-none-preview
    it('product gets the record of reference 3.2', async () => {
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
        const fw = { platform_id: platform.id, flavor_id: platform.flavor.id, version: `7.${count++}.0.0` };
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
        for (const who of Object.keys(people) as (keyof typeof people)[]) seen[who] = (await get(id, who)).role;
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

  describe('list', () => {
    type Query = NonNullable<CallInput<typeof productsContract.list>['query']>;
    const list = async (who: keyof typeof people, query: Query = {}) =>
      unwrap(await as(who).call('products.list', { query: { limit: 500, ...query } }));
    const has = async (who: keyof typeof people, id: string, query: Query = {}) =>
      (await list(who, query)).value.some((product) => product.id === id);

    // API-EP-GET-products: the list shows exactly what GET of one product shows.
    it.each(['preview', 'published', 'archive', 'trash'] as const)(
      'of a product in %s agrees with reading it',
      async (state) => {
        const { id, code } = await add(state === 'published' || state === 'archive' ? { state: 'published' } : {});
        const params = { product_id: id };
        if (state === 'archive') unwrap(await as('owner').call('products.update', { params, body: { code, state } }));
        if (state === 'trash') unwrap(await as('owner').call('products.setState', { params, body: { state } }));
        for (const who of Object.keys(people) as (keyof typeof people)[]) {
          const readable = (await as(who).call('products.get', { params })).ok;
          expect({ who, listed: await has(who, id, state === 'trash' ? { state } : {}) }).toEqual({
            who,
            listed: readable,
          });
          expect(readable).toBe(who !== 'stranger' || state === 'published');
          if (state === 'trash') expect(await has(who, id)).toBe(false);
        }
      },
    );

    it('shows whoever owns a device on a product that product', async () => {
      const { id } = await add();
      expect(await has('stranger', id)).toBe(false);
      const device = await occupy(id, people.stranger.id);
      expect(await has('stranger', id)).toBe(true);
      expect((await get(id, 'stranger')).role).toBe('none');
      await app.storage.db.deleteFrom('devices').where('id', '=', device.id).execute();
    });

    // API-RULE-list-2
    it('filters by role, category, state, platform, flavor and text', async () => {
      const { id, code, flavor_id } = await add({ code: 'FILTERED' });
      const edition = platform.edition.id;
      expect(await has('owner', id, { role: 'owner' })).toBe(true);
      expect(await has('owner', id, { role: 'manager' })).toBe(false);
      expect(await has('manager', id, { role: 'manager' })).toBe(true);
      expect(await has('manager', id, { category: 'managed' })).toBe(true);
      expect(await has('tester', id, { role: 'any' })).toBe(true);
      expect(await has('tester', edition, { role: 'any' })).toBe(false);
      expect(await has('tester', edition)).toBe(true);
      expect(await has('stranger', edition, { category: 'edition' })).toBe(true);
      expect(await has('owner', id, { category: 'mine' })).toBe(true);
      expect(await has('owner', id, { category: 'published' })).toBe(false);
      expect(await has('owner', id, { state: 'preview', q: 'owner-brt106_filt' })).toBe(true);
      expect(await has('owner', id, { state: 'archive' })).toBe(false);
      expect(await has('owner', id, { platform_id: platform.id.toUpperCase(), flavor_id: flavor_id ?? '' })).toBe(true);
      expect(await has('owner', id, { platform_id: unknownId })).toBe(false);
      expect(await has('owner', id, { production: true })).toBe(false);
      expect(await has('owner', id, { production: false })).toBe(true);
      expect((await list('owner', { q: code.toLowerCase() })).value.map((product) => product.id)).toEqual([id]);
    });

    // API-RULE-list-1
    it('pages and sorts, with the total and links', async () => {
      const made: string[] = [];
      for (const code of ['PAGE_B', 'PAGE_C', 'PAGE_A']) {
        await app.clock.advance(1);
        made.push((await add({ code })).id);
      }
      const ids = async (query: Query) => (await list('owner', { q: 'page_', ...query })).value.map(({ id }) => id);
      expect(await ids({})).toEqual(made.toReversed());
      expect(await ids({ sort: 'created_at' })).toEqual(made);
      expect(await ids({ sort: 'code' })).toEqual([made[2], made[0], made[1]]);
      expect(await ids({ sort: '-code', limit: 1, offset: 1 })).toEqual([made[0]]);
      const page = await list('owner', { q: 'page_', limit: 1, offset: 1 });
      expect(page.total).toBe(3);
      expect(page.headers.get('link')).toContain('offset=2');
    });

    // API-RULE-list-3
    it.each([
      'limit=0',
      'limit=501',
      'limit=x',
      'offset=-1',
      'sort=meta',
      'role=none',
      'state=active',
      'category=all',
      'platform_id=x',
      'production=maybe',
    ])('with %s is refused', async (query) => {
      const headers = { authorization: `Bearer ${people.owner.token}` };
      const reply = await app.api.inject({ url: `/api/products?${query}`, headers });
      expect(reply.json()).toMatchObject({
        statusCode: 400,
        code: 'INVALID_REQUEST',
        validation: { source: 'query', keys: [query.split('=')[0]] },
      });
    });

    it('ignores parameters that it does not know', async () => {
      const headers = { authorization: `Bearer ${people.owner.token}` };
      expect((await app.api.inject({ url: '/api/products?colour=red', headers })).statusCode).toBe(200);
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

  describe('activation tokens', () => {
    // API-EP-POST-products-product_id-tokens, API-RULE-token-1
    it('value is shown once and stored as a hash', async () => {
      const { id } = await add();
      const params = { product_id: id };
      const made = unwrap(await as('manager').call('products.addToken', { params, body: { uses: 3 } })).value;
      expect(Buffer.from(made.token, 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
      expect(made).toMatchObject({ product_id: id, uses_left: 3, user: 'manager', user_id: people.manager.id });
      const listed = unwrap(await as('owner').call('products.listTokens', { params }));
      expect(listed.value).toEqual([{ ...made, token: made.token.slice(-4) }]);
      expect(listed.total).toBe(1);
      const row = await app.storage.db.selectFrom('activation_tokens').selectAll().where('id', '=', made.id).execute();
      expect(JSON.stringify(row)).not.toContain(made.token);
      expect(await logTypes(id)).toContain('activation_token.create');
    });

    // API-EP-GET-products-product_id-tokens, API-EP-DELETE-products-product_id-tokens-token_id, API-RULE-token-2
    it('revoked token is gone', async () => {
      const { id } = await add();
      const other = await add();
      const params = { product_id: id };
      const made = unwrap(await as('owner').call('products.addToken', { params, body: {} })).value;
      expect(made.uses_left).toBe(1);
      const notFound = { error: { status: 404, body: { message: 'Activation token not found' } } };
      const of = (product_id: string) => ({ params: { product_id, token_id: made.id } });
      expect(await as('owner').call('products.removeToken', of(other.id))).toMatchObject(notFound);
      expect(unwrap(await as('owner').call('products.removeToken', of(id))).value).toEqual({ result: 'ok' });
      expect(await as('owner').call('products.removeToken', of(id))).toMatchObject(notFound);
      expect(unwrap(await as('owner').call('products.listTokens', { params })).value).toEqual([]);
      expect(await logTypes(id)).toContain('activation_token.revoke');
    });

    it.each([0, 10_001, 1.5, '3', null])('token for %s uses is refused', async (uses) => {
      const { id } = await add();
      const body = { uses } as unknown as { uses: number };
      expect(await as('owner').call('products.addToken', { params: { product_id: id }, body })).toMatchObject({
        error: { status: 400, body: { validation: { source: 'body', keys: ['uses'] } } },
      });
    });
  });

  describe('authorisation', () => {
    // API-RULE-access-1, API-RULE-access-2: 404 for what the caller cannot see, 403 for what they may not do with it.
    const calls = {
      update: (client: Client, product_id: string, code: string) =>
        client.call('products.update', { params: { product_id }, body: { code, title: 'T' } }),
      setState: (client: Client, product_id: string) =>
        client.call('products.setState', { params: { product_id }, body: { state: 'active' } }),
      listTokens: (client: Client, product_id: string) =>
        client.call('products.listTokens', { params: { product_id } }),
      addToken: (client: Client, product_id: string) =>
        client.call('products.addToken', { params: { product_id }, body: {} }),
      removeToken: (client: Client, product_id: string) =>
        client.call('products.removeToken', { params: { product_id, token_id: unknownId } }),
      remove: (client: Client, product_id: string) => client.call('products.remove', { params: { product_id } }),
    };
    const rows = (Object.keys(calls) as (keyof typeof calls)[]).flatMap((name) =>
      (['preview', 'published'] as const).map((state) => ({ name, state })),
    );
    const status = (reply: Awaited<ReturnType<(typeof calls)[keyof typeof calls]>>) =>
      reply.ok || reply.error.body.message === 'Activation token not found' ? 200 : reply.error.status;

    it.each(rows)('$name of a product in $state', async ({ name, state }) => {
      const found: Record<string, number> = {};
      for (const who of Object.keys(people) as (keyof typeof people)[]) {
        const { id, code } = await add(state === 'published' ? { state } : {});
        found[who] = status(await calls[name](as(who), id, code));
      }
      expect(found).toEqual({
        admin: 200,
        owner: 200,
        manager: name === 'remove' ? 403 : 200,
        tester: 403,
        stranger: state === 'preview' ? 404 : 403,
      });
    });

    it.each(Object.keys(calls) as (keyof typeof calls)[])('%s without a token, or of no product', async (name) => {
      expect(await calls[name](app.client, unknownId, 'X')).toMatchObject({ error: { status: 401 } });
      expect(await calls[name](as('admin'), unknownId, 'X')).toMatchObject({
        error: { status: 404, body: { code: 'NOT_FOUND', message: 'Product not found' } },
      });
    });
  });
});
