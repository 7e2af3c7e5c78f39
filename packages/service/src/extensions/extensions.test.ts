import { contract, coreContract, endpointsOf, extensionNames, extensionNeeds } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { whyNotTogether } from '../engine/settings/settings.ts';
import { buildApp, eachDatabase, testSettings } from '../testing/index.ts';
import { chosenExtensions } from './index.ts';

const namesOf = (contracts: Parameters<typeof endpointsOf>[0]) =>
  endpointsOf(contracts)
    .map(({ name }) => name)
    .toSorted();

describe('the list of extensions', () => {
  const all = chosenExtensions('all');

  it('has each name once', () => {
    expect(all.map(({ name }) => name).toSorted()).toEqual([...extensionNames].toSorted());
  });

  it('has with the core every endpoint of the contract, each once', () => {
    const parts = [coreContract, ...all.map(({ contracts }) => contracts)].flatMap(namesOf);
    expect(parts.toSorted()).toEqual(namesOf(contract));
  });

  it('runs with what each needs', () => {
    const together = (extensions: typeof testSettings.extensions) => whyNotTogether({ ...testSettings, extensions });
    expect(together(['alerts', 'fleet'])).toBe('The extension alerts needs accounts, which --extensions leaves out');
    expect(together(['alerts', 'fleet', 'accounts'])).toBeUndefined();
    expect(together([])).toBeUndefined();
  });

  it('leaves no setting that nothing would keep', () => {
    const settings = { ...testSettings, secondFactor: 'all', auditDays: 7 } as const;
    expect(whyNotTogether({ ...settings, extensions: ['audit'] })).toBe(
      '--second-factor is of the extension accounts, which --extensions leaves out',
    );
    expect(whyNotTogether({ ...settings, extensions: ['accounts'] })).toMatch(/^--audit-days is of/);
    expect(whyNotTogether({ ...settings, extensions: ['accounts', 'audit'] })).toBeUndefined();
  });
});

eachDatabase('a service', (open) => {
  const lists = [
    [],
    ...extensionNames.map((name) => [name, ...(extensionNeeds[name] ?? [])]),
    [...extensionNames],
  ] as const;

  it.each(lists.map((list) => [list.join(', ') || 'none', list] as const))(
    'with the extensions %s has their endpoints and those of the core, and no other',
    async (_title, list) => {
      const { service, api } = await buildApp(await open(), { extensions: list });
      const chosen = chosenExtensions(list);
      const served = Object.assign({}, coreContract, ...chosen.map(({ contracts }) => contracts));
      const document = (await api.inject({ url: '/openapi.json' })).json<{
        paths: Record<string, Record<string, { operationId: string }>>;
      }>();
      const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      // A path with an optional end is described in both forms.
      const names = described.map(({ operationId }) => operationId.replace(/\.default$/, ''));
      expect([...new Set(names)].toSorted()).toEqual(namesOf(served));
      for (const { name, shape } of endpointsOf(served).filter((endpoint) => endpoint.shape.auth === 'bearer')) {
        const url = shape.path.replace(/\{\w+[*?]?\}/g, 'x');
        expect((await api.inject({ method: shape.method, url })).statusCode, name).toBe(401);
      }
      await service.close();
    },
  );

  it('with none keeps an account shut whose second factor is not asked for', async () => {
    const app = await buildApp(await open(), { extensions: [] });
    const [email, password] = ['ada@harbour.example', 'correct horse battery'];
    unwrap(await app.client.call('auth.signup', { body: { email, password } }));
    const login = () => app.client.call('auth.login', { body: { username: email, password } });
    expect(await login()).toMatchObject({ ok: true });
    await app.storage.db.updateTable('users').set({ second_factor: 1 }).where('email', '=', email).execute();
    expect(await login()).toMatchObject({ ok: false, error: { body: { code: 'SECOND_FACTOR_REQUIRED' } } });
    await app.service.close();
  });

  it('with none says that it takes no conditions over devices', async () => {
    const app = await buildApp(await open(), { extensions: [] });
    const { token } = await app.make.user();
    const list = (filter?: string) => app.client.as(token).call('devices.list', { query: filter ? { filter } : {} });
    expect(await list()).toMatchObject({ ok: true });
    expect(await list('title==a')).toMatchObject({ ok: false, error: { body: { code: 'INVALID_REQUEST' } } });
    await app.service.close();
  });
});
