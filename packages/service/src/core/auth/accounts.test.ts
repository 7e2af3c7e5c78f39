import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, eachDatabase, testSettings } from '../../testing/index.ts';
import { noHooks } from '../hooks.ts';
import { ensureAdministrator, isPasswordLate, replacePassword, usernameFor } from './accounts.ts';

eachDatabase('first run', (open, _kind, address) => {
  it('makes an administrator with a random password, which is announced', async () => {
    const app = await buildApp(await open());
    const announced: [string, string][] = [];
    const announce = (email: string, password: string) => void announced.push([email, password]);
    expect(unwrap(await ensureAdministrator(app.service.deps, announce))).toBe(true);
    expect(announced).toEqual([['admin@localhost', expect.stringMatching(/^[A-Za-z0-9]{20}$/)]]);
    const [[username, password] = ['', '']] = announced;
    const session = await app.client.call('auth.login', { body: { username, password } });
    if (!session.ok) throw new Error('No login');
    const own = await app.client.as(session.value.value.token).call('users.get');
    expect(own).toMatchObject({ ok: true, value: { value: { role: 'admin', username: 'admin' } } });
    expect(unwrap(await ensureAdministrator(app.service.deps, announce))).toBe(false);
    expect(announced.length).toBe(1);
  });

  it('takes the password of the settings', async () => {
    const settings = { adminEmail: 'boss@example.com', adminPassword: 'configured by hand' };
    const app = await buildApp(await open(), { settings });
    expect(unwrap(await ensureAdministrator(app.service.deps, () => {}))).toBe(true);
    const body = { username: 'boss', password: 'configured by hand' };
    expect(await app.client.call('auth.login', { body })).toMatchObject({ ok: true });
    expect(await isPasswordLate(app.service.deps)).toBe(false);
    const other = { ...settings, adminPassword: 'configured later' };
    expect(await isPasswordLate({ ...app.service.deps, settings: { ...testSettings, ...other } })).toBe(true);
  });

  it('is refused with a password that many people choose, and makes nobody', async () => {
    const app = await buildApp(await open(), { settings: { adminPassword: 'password1234' } });
    const refused = { ok: false, error: { code: 'WEAK_PASSWORD' } };
    expect(await ensureAdministrator(app.service.deps, () => {})).toMatchObject(refused);
    expect(await app.storage.db.selectFrom('users').selectAll().execute()).toEqual([]);
  });

  it('that is cut while it announces leaves no administrator, and the next one makes it', async () => {
    const app = await buildApp(await open());
    const cut = ensureAdministrator(app.service.deps, () => {
      throw new Error('Killed');
    });
    await expect(cut).rejects.toThrow('Killed');
    expect(await app.storage.db.selectFrom('users').selectAll().execute()).toEqual([]);
    expect(unwrap(await ensureAdministrator(app.service.deps, () => {}))).toBe(true);
  });

  it('of several processes at once announces once', async () => {
    const place = await address();
    const storages = await Promise.all([1, 2, 3].map(() => openRecords(place)));
    const apps = await Promise.all(storages.map((storage) => buildApp(storage)));
    const announced: string[] = [];
    const made = await Promise.all(
      apps.map((app) => ensureAdministrator(app.service.deps, (_, password) => void announced.push(password))),
    );
    expect(made.map(unwrap).filter(Boolean).length).toBe(1);
    expect(announced.length).toBe(1);
    const body = { username: 'admin', password: announced[0] ?? '' };
    expect(await apps[0]?.client.call('auth.login', { body })).toMatchObject({ ok: true });
    await Promise.all(storages.map((storage) => storage.close()));
  });
});

eachDatabase('a password that is replaced', (open) => {
  // API-RULE-session-3
  it('ends all login sessions of its account; tokens made by hand stay', async () => {
    const app = await buildApp(await open());
    const { email, token } = await app.make.user();
    const login = async (password: string) => app.client.call('auth.login', { body: { username: email, password } });
    const isGood = async (value: string) => (await app.client.as(value).call('users.get')).ok;
    expect(await replacePassword(app.service.deps, email, 'the first one', noHooks.passwordChanged)).toMatchObject({
      ok: true,
    });
    const session = unwrap(await login('the first one')).value.token;
    expect([await isGood(session), await isGood(token)]).toEqual([true, true]);
    expect(
      await replacePassword(app.service.deps, email, 'another one of mine', noHooks.passwordChanged),
    ).toMatchObject({ ok: true });
    expect([await isGood(session), await isGood(token)]).toEqual([false, true]);
    expect([(await login('the first one')).ok, (await login('another one of mine')).ok]).toEqual([false, true]);
  });

  it('is refused for an account that is not there', async () => {
    const app = await buildApp(await open());
    const replaced = await replacePassword(app.service.deps, 'nobody', 'another one of mine', noHooks.passwordChanged);
    expect(replaced).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });
});

it.each([
  ['Maker@example.com', [], 'maker'],
  ['a+b c@example.com', [], 'a_b_c'],
  ['maker@example.com', ['maker', 'maker2'], 'maker3'],
  [`${'x'.repeat(40)}@example.com`, [], 'x'.repeat(24)],
  ['ÄÖ@example.com', [], '_'],
])('usernameFor %s beside %j is %s', (email, taken, expected) => {
  expect(usernameFor(email, new Set(taken))).toBe(expected);
});
