import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import type { MadeUser } from '../../testing/fixtures.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';

// API-RULE-service-account-1, API-RULE-service-account-2, API-LIMIT-service-accounts
// API-EP-GET-products-product_id-service-accounts, API-EP-POST-products-product_id-service-accounts
// API-EP-PUT-products-product_id-service-accounts-service_account_id
// API-EP-DELETE-products-product_id-service-accounts-service_account_id
// API-EP-POST-products-product_id-service-accounts-service_account_id-tokens
// API-EP-DELETE-products-product_id-service-accounts-service_account_id-tokens-token_id
eachDatabase('service accounts', (open) => {
  let app: TestApp;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  let owner: MadeUser;
  beforeAll(async () => {
    app = await buildApp(await open());
    platform = await app.make.platform();
    owner = await app.make.user();
  });

  const as = (user: { readonly token: string }) => app.client.as(user.token);

  /** A product of the owner with a service account that another maintainer has made, and a token of it. */
  async function scene(scopes: ('read' | 'operate' | 'publish' | 'administer')[] = ['administer']) {
    const product = await app.make.product({
      platform_id: platform.id,
      flavor_id: platform.flavor.id,
      user_id: owner.id,
    });
    const other = await app.make.product({ platform_id: platform.id, user_id: owner.id });
    const maker = await app.make.user();
    await app.make.member(product.id, maker.id, 'manager');
    const params = { product_id: product.id };
    const account = unwrap(await as(maker).call('serviceAccounts.create', { params, body: { name: 'ci' } })).value;
    const at = { ...params, service_account_id: account.id };
    const body = { title: 'Build', scopes };
    const made = unwrap(await as(maker).call('serviceAccounts.addToken', { params: at, body })).value;
    return { product, other, maker, params, at, account, made, program: as(made) };
  }

  const codeOf = (result: { readonly ok: boolean; readonly error?: { readonly body: { readonly code: string } } }) =>
    result.ok ? 'ok' : result.error?.body.code;

  it('belong to a product: they do there what its managers do, and nothing elsewhere', async () => {
    const { product, other, program, account } = await scene();
    expect(account).toMatchObject({ name: 'ci', user: `${product.product.toLowerCase()}:ci`, disabled_at: null });
    const body = { title: 'x', filter: 'tag==beta' };
    const create = (product_id: string) => program.call('segments.create', { params: { product_id }, body });
    expect(codeOf(await create(product.id))).toBe('TOKEN_SCOPE');
    const connector = { title: 'x', code: 'X', opts: { url: 'https://example.com/' } };
    const add = (product_id: string) => program.call('connectors.create', { params: { product_id }, body: connector });
    expect(codeOf(await add(product.id))).toBe('ok');
    expect(codeOf(await add(other.id))).toBe('TOKEN_PRODUCT');
    expect(codeOf(await program.call('products.remove', { params: { product_id: product.id } }))).toBe('FORBIDDEN');
    expect(codeOf(await program.call('tokens.create', {}))).toBe('TOKEN_SCOPE');
  });

  it('stay when the person who made them leaves, and are there in log and audit by their name', async () => {
    const { maker, params, program, account, product } = await scene(['operate']);
    unwrap(await as(maker).call('productPeople.remove', { params: { ...params, user_id: maker.id } }));
    const admin = await app.make.admin();
    unwrap(await as(admin).call('accounts.remove', { params: { user_id: maker.id }, query: {} }));
    unwrap(await program.call('segments.create', { params, body: { title: 'x', filter: 'tag==beta' } }));
    const query = { user: account.user };
    expect(unwrap(await as(owner).call('audit.list', { query })).value).toMatchObject([
      { user: account.user, token: 'Build', action: 'segments.create', product_id: product.id },
    ]);
    const logs = unwrap(await as(owner).call('logs.list', { query: { product_id: product.id } })).value;
    expect(logs.map(({ message }) => message)).toContain(`Service account ${account.user} made`);
  });

  it('end at once when they are disabled, with the product in the trash, and with a revoked token', async () => {
    const { params, at, program, made } = await scene(['read']);
    const reads = async () => codeOf(await program.call('products.get', { params }));
    const set = (disabled: boolean) => as(owner).call('serviceAccounts.update', { params: at, body: { disabled } });
    const move = (state: 'trash' | 'active') => as(owner).call('products.setState', { params, body: { state } });
    expect(await reads()).toBe('ok');
    expect(unwrap(await set(true)).value.disabled_at).not.toBeNull();
    expect(await reads()).toBe('UNAUTHENTICATED');
    unwrap(await set(false));
    expect(await reads()).toBe('ok');
    unwrap(await move('trash'));
    expect(await reads()).toBe('UNAUTHENTICATED');
    unwrap(await move('active'));
    expect(await reads()).toBe('ok');
    unwrap(await as(owner).call('serviceAccounts.removeToken', { params: { ...at, token_id: made.id } }));
    expect(await reads()).toBe('UNAUTHENTICATED');
  });

  it('go with their product, and what they own goes to whoever deletes it', async () => {
    const { params, at, account, program, product, other } = await scene(['administer']);
    const device = await app.make.device({ platform_id: platform.id, product_id: other.id, user_id: account.id });
    const ownerOf = async () =>
      (
        await app.storage.db
          .selectFrom('devices')
          .select('user_id')
          .where('id', '=', device.id)
          .executeTakeFirstOrThrow()
      ).user_id;
    unwrap(await as(owner).call('serviceAccounts.create', { params, body: { name: 'other' } }));
    unwrap(await as(owner).call('serviceAccounts.remove', { params: at }));
    expect(await ownerOf()).toBe(owner.id);
    expect(codeOf(await program.call('products.get', { params }))).toBe('UNAUTHENTICATED');
    unwrap(await as(owner).call('products.setState', { params, body: { state: 'trash' } }));
    unwrap(await as(owner).call('products.remove', { params }));
    const left = app.storage.db.selectFrom('users').select('id').where('service_product_id', '=', product.id);
    expect(await left.execute()).toEqual([]);
  });

  it('are no people: nobody signs in as one, finds one among people or makes one something else', async () => {
    const { account, params, product } = await scene();
    const admin = await app.make.admin();
    const { email } = await app.storage.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
    for (const username of [account.user, email]) {
      expect(codeOf(await app.client.call('auth.login', { body: { username, password: 'none' } }))).toBe('WRONG_LOGIN');
      const body = { user: username, role: 'manager' } as const;
      expect(codeOf(await as(owner).call('productPeople.add', { params, body }))).toBe('NOT_FOUND');
      expect(codeOf(await as(admin).call('productPeople.move', { params, body: { user: username } }))).toBe(
        'NOT_FOUND',
      );
    }
    const user = { params: { user_id: account.id } };
    expect(codeOf(await as(admin).call('accounts.update', { ...user, body: { role: 'admin' } }))).toBe('NOT_FOUND');
    expect(codeOf(await as(admin).call('accounts.resetPassword', user))).toBe('NOT_FOUND');
    const people = unwrap(await as(owner).call('productPeople.list', { params })).value;
    expect(people.map(({ user_id }) => user_id)).not.toContain(account.id);
    const removed = await as(owner).call('productPeople.remove', { params: { ...params, user_id: account.id } });
    expect(codeOf(removed)).toBe('NOT_FOUND');
    const accounts = unwrap(await as(admin).call('users.list', { query: { q: product.product.toLowerCase() } })).value;
    expect(accounts).toEqual([]);
  });

  it('have names of their own and limits', async () => {
    const { params, at, maker } = await scene();
    const create = (name: string) => as(maker).call('serviceAccounts.create', { params, body: { name } });
    expect(codeOf(await create('ci'))).toBe('DUPLICATE');
    expect(codeOf(await create('No Name'))).toBe('INVALID_REQUEST');
    for (let n = 1; n < 50; n++) unwrap(await create(`a${n}`));
    expect(codeOf(await create('one-more'))).toBe('LIMIT_REACHED');
    const add = () =>
      as(maker).call('serviceAccounts.addToken', { params: at, body: { title: 'x', scopes: ['read'], days: 1 } });
    for (let n = 1; n < 20; n++) unwrap(await add());
    expect(codeOf(await add())).toBe('LIMIT_REACHED');
  });

  it('are for the managers of their product alone', async () => {
    const { params, at } = await scene();
    const [tester, stranger] = [await app.make.user(), await app.make.user()];
    await app.make.member(params.product_id, tester.id, 'tester');
    expect(codeOf(await as(tester).call('serviceAccounts.list', { params }))).toBe('FORBIDDEN');
    expect(codeOf(await as(stranger).call('serviceAccounts.list', { params }))).toBe('NOT_FOUND');
    const other = await scene();
    const mixed = { ...at, product_id: other.params.product_id };
    expect(codeOf(await as(owner).call('serviceAccounts.remove', { params: mixed }))).toBe('NOT_FOUND');
    expect(unwrap(await as(owner).call('serviceAccounts.list', { params })).value).toMatchObject([
      { name: 'ci', tokens: [{ title: 'Build', scopes: ['administer'], product_ids: [params.product_id] }] },
    ]);
  });
});
