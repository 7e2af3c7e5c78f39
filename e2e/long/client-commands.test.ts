import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const folder = dataFolder('client');
const password = 'a long password';
const admin = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: password };
const entry = fileURLToPath(new URL('../../bin/moorage', import.meta.url));

/** Runs a client to its end, with logins of its own and a line of input. */
async function run(args: readonly string[], { input = '', env = {} } = {}) {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: folder.path, ...env },
  });
  const said = { out: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.errors += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, ...said };
}

test('moorage login keeps a login for one user, which the other clients use until moorage logout', async () => {
  const service = moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json'], admin);
  const api = String((await eventOf(service, 'ready')).api);
  const at = ['--api', api];
  const without = await run(['devices', ...at]);
  expect(without).toMatchObject({ code: 1, errors: expect.stringContaining(`moorage login --api ${api}`) });

  const wrong = await run(['login', 'owner@example.com', ...at], { input: 'wrong\n' });
  expect(wrong).toMatchObject({ code: 1, errors: 'moorage: User name or password is wrong\n' });
  const login = await run(['login', 'owner@example.com', ...at], { input: `${password}\n` });
  expect(login).toMatchObject({ code: 0, errors: '', out: expect.stringContaining(`Logged in to ${api} as`) });
  const path = join(folder.path, 'moorage', 'logins.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  // The service of the last login is the one that is meant.
  expect(await run(['devices'])).toMatchObject({ code: 0, out: '0 devices\n' });
  expect(await run(['rollout', 'list', '--json'])).toMatchObject({ code: 0, out: '', errors: '' });
  const filtered = await run(['devices', '--filter', 'colour==red']);
  expect(filtered).toMatchObject({
    code: 2,
    errors: expect.stringContaining('Option --filter: The filter is wrong at'),
  });
  const unknown = await run(['rollout', 'watch', '00000000-0000-4000-8000-000000000000']);
  expect(unknown).toMatchObject({ code: 1, errors: 'moorage: Rollout not found\n' });
  const misspelt = await run(['rollout', 'show', 'spring']);
  expect(misspelt).toMatchObject({ code: 2, errors: expect.stringContaining('Argument ROLLOUT') });
  const nowhere = await run(['rollout', 'create', 'TIDE', '1.0.0.0', '--stages', 'all']);
  expect(nowhere).toMatchObject({ code: 1, errors: 'moorage: Argument PRODUCT is "TIDE": there is no such product\n' });

  const refused = await run(['devices'], { env: { MOORAGE_TOKEN: 'x'.repeat(32) } });
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('does not know this login') });
  expect(await run(['logout'])).toMatchObject({ code: 0 });
  expect(await run(['devices', ...at])).toMatchObject({ code: 1 });
  // The session is over at the service, too.
  const client = createClient({ baseUrl: api });
  const session = unwrap(await client.call('auth.login', { body: { username: 'owner@example.com', password } }));
  const tokens = unwrap(await client.as(session.value.token).call('tokens.list', {}));
  expect(tokens.total).toBe(1);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

test.each([
  [['login', '--api', 'quay'], 2, 'Option --api is "quay"'],
  [['login', '--api', 'ftp://quay'], 2, 'Option --api is "ftp://quay"'],
  [['login', '--api', 'http://me:secret@quay'], 2, 'Option --api has a password in it'],
  [['login', '--api', 'http://127.0.0.1:1'], 2, 'Argument EMAIL'],
  [['devices', '--api', 'http://127.0.0.1:2', '--token', 'x'], 1, 'http://127.0.0.1:2 cannot be reached: ECONNREFUSED'],
  [['devices', '--state', 'lost', '--token', 'x'], 2, '--state'],
  [['label', 'region', '--device', 'x'], 2, 'Argument LABEL is "region"'],
  [['label', 'region=eu'], 2, '--device and --filter'],
  [['label'], 2, "'LABEL'"],
  [['rollout', 'create', 'TIDE', '1.0.0.0'], 2, '--stages'],
  [['rollout', 'create', 'TIDE'], 2, "'BUNDLE'"],
  [['rollout', 'create', 'TIDE', '1.0.0.0', '--settings', '/does/not/exist'], 2, '--settings'],
  [['rollout', 'watch', 'x', '--timeout', 'long'], 2, '--timeout'],
])('%j ends with code %i and says why', async (args, code, said) => {
  const { errors, ...ended } = await run(args);
  expect(errors).toContain(said);
  expect(ended).toEqual({ code, out: '' });
});
