import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import { openRecords } from '@moorage/service/tables';
import { buildApp, injectFetch } from '@moorage/service/testing/index';
import { afterEach, expect, test, vi } from 'vitest';
import { resolveOptions } from '../command-line/options.ts';
import { openReporter } from '../command-line/output.ts';
import { runCommand } from '../testing/run-command.ts';
import { loginCommand } from './login.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

// API-RULE-factor-1
test('moorage login takes a code of the second factor, which an administrator takes away', async () => {
  const storage = await openRecords('sqlite::memory:');
  const app = await buildApp(storage, { settings: { signUp: 'open' } });
  const folder = await mkdtemp(join(tmpdir(), 'moorage-login-'));
  vi.stubGlobal('fetch', injectFetch(app.api));
  const password = 'correct horse';
  const { token } = unwrap(
    await app.client.call('auth.signup', { body: { email: 'ada@example.com', password } }),
  ).value;
  const ada = app.client.as(token);
  const { secret } = unwrap(await ada.call('factors.setUpTotp')).value;
  const { TOTP } = await import('otpauth');
  const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
  const { recovery_codes } = unwrap(await ada.call('factors.confirmTotp', { body: { code } })).value;
  const login = (flags: Readonly<Record<string, string>>) => {
    const sources = { flags: { api: 'http://service', logins: join(folder, 'logins.json'), password, ...flags } };
    const options = unwrap(resolveOptions(loginCommand.options, { env: {}, file: {}, ...sources }));
    const reporter = openReporter(true, process.stderr);
    const silent = { ...reporter, event: () => undefined };
    return loginCommand.run({
      options,
      sources: { env: {}, file: {}, ...sources },
      args: ['ada'],
      reporter: silent,
      json: true,
    });
  };
  await expect(login({})).rejects.toThrow('give a code with --code');
  await expect(login({ code: 'abcdef' })).rejects.toThrow('The code is wrong or has been used');
  await login({ code: recovery_codes[0] ?? '' });
  const admin = await app.make.admin();
  const reset = await runCommand('accounts', admin.token, 'factor-reset', ['ada']);
  expect(reset).toMatchObject([{ event: 'factor-reset', username: 'ada' }]);
  await login({});
  await app.service.close();
  await storage.close();
  await rm(folder, { recursive: true });
});
