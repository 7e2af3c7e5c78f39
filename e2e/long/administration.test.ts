import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { databaseSource } from '@moorage/service/testing/index';
import { afterAll, describe, expect, test } from 'vitest';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const admin = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };
const postgres = databaseSource('postgres', { holds: 'nothing' });

const folder = dataFolder('administration');

afterAll(() => postgres.remove());

/** Runs a command to its end; gives its code, its output and what it said on the error stream. */
async function run(...args: string[]) {
  const program = moorage(args);
  const code = await program.ended;
  return { code, text: program.lines.join('\n'), errors: program.errors() };
}

const login = async (api: unknown, username: string, password: string) =>
  createClient({ baseUrl: String(api) }).call('auth.login', { body: { username, password } });

describe('moorage user add and token add', () => {
  test('make accounts and tokens that work, beside a running service', async () => {
    const service = moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json'], admin);
    const { api } = await eventOf(service, 'ready');
    const made = await run('user', 'add', 'maker@example.com', '--data', folder.path);
    expect(made).toMatchObject({ code: 0, errors: '' });
    const password = /^Password: (\w{20}) \(shown this once\)$/m.exec(made.text)?.[1] ?? '';
    expect(await login(api, 'maker@example.com', password)).toMatchObject({ ok: true });

    // API-RULE-session-3: a lost password is replaced, and logins with the old one end.
    const session = await login(api, 'maker@example.com', password);
    if (!session.ok) throw new Error(session.error.body.message);
    const old = createClient({ baseUrl: String(api), token: session.value.value.token });
    const replaced = await run('user', 'password', 'Maker@example.com', '--data', folder.path);
    const another =
      /^Password of maker@example.com changed: (\w{20}) \(shown this once\)$/.exec(replaced.text)?.[1] ?? '';
    expect(await login(api, 'maker@example.com', password)).toMatchObject({ ok: false });
    expect(await login(api, 'maker@example.com', another)).toMatchObject({ ok: true });
    expect(await old.call('users.get')).toMatchObject({ ok: false });

    const args = ['user', 'add', 'boss@example.com', '--role', 'admin', '--password', 'chosen by me', '--json'];
    const boss = await run(...args, '--data', folder.path);
    expect(JSON.parse(boss.text)).toMatchObject({ event: 'user', username: 'boss', role: 'admin' });
    expect(boss.text).not.toContain('chosen by me');

    const { text } = await run('token', 'add', 'Boss@example.com', '--title', 'CI', '--data', folder.path, '--json');
    const { token } = JSON.parse(text) as { token: string };
    const client = createClient({ baseUrl: String(api), token });
    expect(await client.call('users.get')).toMatchObject({ ok: true, value: { value: { role: 'admin' } } });
    expect(await client.call('tokens.list', {})).toMatchObject({ ok: true, value: { value: [{ title: 'CI' }] } });
    // API-RULE-token-3
    const limits = ['--scopes', 'read,publish', '--days', '30'];
    const limited = await run('token', 'add', 'boss@example.com', ...limits, '--data', folder.path, '--json');
    const { token: reader } = JSON.parse(limited.text) as { token: string };
    const refused = await createClient({ baseUrl: String(api), token: reader }).call('tokens.create', {});
    expect(refused).toMatchObject({ ok: false, error: { body: { code: 'TOKEN_SCOPE' } } });
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test.each([
    [['user', 'add', 'nobody'], 2, '"nobody" is not an email address'],
    [['user', 'add'], 2, "missing required argument 'EMAIL'"],
    [['user', 'add', 'a@b', '--password', 'short'], 2, 'The password needs at least 12 characters'],
    [['user', 'add', 'a@b', '--role', 'king'], 2, '"king"'],
    [['user', 'add', 'a@b', '--port', '1'], 2, '--port'],
    [['user', 'password', 'a@b'], 1, 'User "a@b" not found'],
    [['token', 'add', 'a@b'], 1, 'User "a@b" not found'],
    [['token', 'add', 'a@b', '--title', ''], 2, '--title'],
    [['migrate', '--database', 'mysql://x'], 2, 'sqlite:PATH or postgres://'],
    [
      ['migrate', '--database', 'postgres://u:p@127.0.0.1:1/x'],
      1,
      'The database postgres://u:***@127.0.0.1:1/x (--database) cannot be used',
    ],
    [['backup'], 2, "missing required argument 'FILE'"],
    [['restore', '/does/not/exist'], 1, 'cannot be read'],
  ])('%j ends with code %i and says why', async (args, code, said) => {
    const { errors, ...ended } = await run(...args, ...(args.includes('--port') ? [] : ['--data', folder.path]));
    expect(errors).toContain(said);
    expect(errors).not.toContain('    at ');
    expect(ended.code).toBe(code);
  });

  test('refuse an address that has an account', async () => {
    const again = () => run('user', 'add', 'a@example.com', '--data', folder.path);
    expect((await again()).code).toBe(0);
    expect(await again()).toMatchObject({ code: 1, errors: 'moorage: Email "a@example.com" exists already\n' });
  });

  test.each(['user add', 'token add', 'migrate', 'backup', 'restore'])('%s has help', async (command) => {
    const { code, text } = await run(...command.split(' '), '--help');
    expect(code).toBe(0);
    expect(text).toContain(`Usage: moorage ${command} [options]`);
    expect(text).toContain('--database <URL>');
  });
});

describe('moorage migrate, backup and restore', () => {
  test('carry a service from SQLite to PostgreSQL, with its accounts', async () => {
    expect((await run('migrate', '--data', folder.path)).text).toMatch(/^Migrated: 0001/);
    expect((await run('migrate', '--data', folder.path)).text).toBe('The tables are up to date');
    const service = moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json'], admin);
    await eventOf(service, 'ready');
    const file = join(folder.path, 'backup.tar');
    expect(await run('backup', file, '--data', folder.path)).toMatchObject({ code: 0, errors: '' });
    expect((await readdir(folder.path)).filter((name) => name.startsWith('backup'))).toEqual(['backup.tar']);
    service.process.kill('SIGTERM');
    await service.ended;

    expect(await run('backup', file, '--data', folder.path)).toMatchObject({ code: 1 });
    const busy = await run('restore', file, '--data', folder.path);
    expect([busy.code, busy.errors]).toEqual([1, expect.stringContaining('The database is in use')]);

    const database = await postgres.make();
    const elsewhere = ['--data', join(folder.path, 'other'), '--database', database];
    expect(await run('restore', file, ...elsewhere)).toMatchObject({
      code: 0,
      errors: expect.stringContaining('Others see the secret in --database in the list of processes'),
    });
    const second = moorage(['serve', ...elsewhere, '--port', '0', '--device-port', '0', '--json']);
    const { api } = await eventOf(second, 'ready');
    expect(await login(api, 'owner@example.com', 'a long password')).toMatchObject({ ok: true });
    second.process.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(second.lines.some((line) => line.includes('administrator'))).toBe(false);
  });

  test('of a file that is no backup say so', async () => {
    const file = join(folder.path, 'x.tar');
    await writeFile(file, 'nothing of the kind');
    const { code, errors } = await run('restore', file, '--data', folder.path);
    expect([code, errors]).toEqual([1, expect.stringContaining('is not a whole backup')]);
  });
});
