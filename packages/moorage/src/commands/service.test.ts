import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CliCommand } from '../command-line/define.ts';
import { resolveOptions } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { closedTo } from '../systemd/install.ts';
import { serviceInstallCommand, serviceStatusCommand, serviceUninstallCommand } from './service.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'moorage-service-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
  process.exitCode = undefined;
  vi.unstubAllEnvs();
});

/** Runs a command with flags, and returns its events. */
async function run(command: CliCommand, flags: Record<string, string | true>, env: Record<string, string> = {}) {
  const sources = { flags, env, file: {} };
  const options = resolveOptions(command.options, sources);
  if (!options.ok) throw new Error(options.error);
  const events: { name: string; data: Readonly<Record<string, unknown>> }[] = [];
  const reporter: Reporter = {
    event: (name, data = {}) => void events.push({ name, data }),
    say: () => {},
    progress: () => ({ at: () => {}, end: () => {} }),
    status: () => {},
  };
  await command.run({ options: options.value, sources, args: [], reporter, json: false });
  return events;
}

const inside = (path: string) => join(root, path);
const unit = 'etc/systemd/system/moorage.service';
const environment = 'etc/moorage/moorage.env';

describe('moorage service, with a folder as the root', () => {
  test('install writes the unit, its user and the given settings, for root alone to read', async () => {
    await run(serviceInstallCommand, {
      root,
      port: '8081',
      'admin-password': 'a long password',
      'tls-cert': 'x.pem',
      'tls-key': 'k.pem',
    });
    expect(readFileSync(inside(unit), 'utf8')).toContain(`${process.execPath} `);
    expect(readFileSync(inside('etc/sysusers.d/moorage.conf'), 'utf8')).toContain('u moorage');
    expect(readFileSync(inside(environment), 'utf8')).toBe(
      `MOORAGE_PORT=8081\nMOORAGE_TLS_CERT=${process.cwd()}/x.pem\nMOORAGE_TLS_KEY=${process.cwd()}/k.pem\nMOORAGE_ADMIN_PASSWORD="a long password"\nMOORAGE_DATA=/var/lib/moorage\n`,
    );
    expect(statSync(inside(environment)).mode & 0o777).toBe(0o600);
    expect(statSync(inside(unit)).mode & 0o777).toBe(0o644);
  });

  test('install again changes what is given and keeps the rest', async () => {
    await run(serviceInstallCommand, { root, port: '8081', host: '127.0.0.2' });
    await run(serviceInstallCommand, { root, port: '8082' });
    expect(readFileSync(inside(environment), 'utf8')).toBe(
      'MOORAGE_HOST=127.0.0.2\nMOORAGE_PORT=8082\nMOORAGE_DATA=/var/lib/moorage\n',
    );
  });

  test('install keeps a secret or its file, the one that is given last', async () => {
    const variables = () => readFileSync(inside(environment), 'utf8').split('\n').slice(0, -2);
    const [secret, path] = ['smtp://ada:hush@mail', inside('secret')];
    writeFileSync(path, `${secret}\n`);
    await run(serviceInstallCommand, { root, 'smtp-url': secret });
    expect(variables()).toEqual([`MOORAGE_SMTP_URL=${secret}`]);
    await run(serviceInstallCommand, { root, 'smtp-url-file': path });
    expect(variables()).toEqual([`MOORAGE_SMTP_URL_FILE=${path}`]);
    await run(serviceInstallCommand, { root, 'smtp-url': secret }, { MOORAGE_SMTP_URL_FILE: path });
    expect(variables()).toEqual([`MOORAGE_SMTP_URL=${secret}`]);
  });

  test('a dry run says what it would write, and writes nothing', async () => {
    const events = await run(serviceInstallCommand, { root, 'dry-run': true });
    expect(events.map(({ data }) => data.path)).toEqual(
      [unit, environment, 'etc/sysusers.d/moorage.conf'].map((path) => inside(path)),
    );
    expect(existsSync(inside('etc'))).toBe(false);
  });

  test.each([
    [{ port: 'x' }, '--port'],
    [{ scope: 'other' }, '"other", not system or user'],
  ])('%j is refused before anything is written', async (flags, message) => {
    await expect(run(serviceInstallCommand, { root, ...flags })).rejects.toThrow(message);
    expect(existsSync(inside('etc'))).toBe(false);
  });

  test('the service of a user lies in their folders', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', '/users/ada/.config');
    vi.stubEnv('XDG_DATA_HOME', '/users/ada/.local/share');
    await run(serviceInstallCommand, { root, scope: 'user' });
    expect(existsSync(inside('users/ada/.config/systemd/user/moorage.service'))).toBe(true);
    expect(readFileSync(inside('users/ada/.config/moorage/moorage.env'), 'utf8')).toBe(
      'MOORAGE_DATA=/users/ada/.local/share/moorage\n',
    );
    expect(existsSync(inside('etc'))).toBe(false);
  });

  test('status and uninstall say what is there; settings stay', async () => {
    await expect(run(serviceUninstallCommand, { root })).rejects.toThrow(`There is no ${inside(unit)}`);
    expect(await run(serviceStatusCommand, { root })).toMatchObject([{ data: { installed: false } }]);
    expect(process.exitCode).toBe(3);
    process.exitCode = undefined;
    await run(serviceInstallCommand, { root });
    expect(await run(serviceStatusCommand, { root })).toMatchObject([{ data: { installed: true, state: 'unknown' } }]);
    expect(process.exitCode).toBeUndefined();
    await run(serviceUninstallCommand, { root });
    expect(existsSync(inside(unit))).toBe(false);
    expect(existsSync(inside(environment))).toBe(true);
  });

  test('where there is no systemd, one line says so', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform');
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      await expect(run(serviceStatusCommand, {})).rejects.toThrow(
        /^Services are systemd's, which darwin does not have; run "moorage serve" by its own means$/,
      );
    } finally {
      if (platform) Object.defineProperty(process, 'platform', platform);
    }
  });
});

test('a program that others may not reach is named by what closes it', () => {
  const folder = join(root, 'closed');
  mkdirSync(folder);
  chmodSync(root, 0o755);
  writeFileSync(join(folder, 'program'), '', { mode: 0o644 });
  chmodSync(folder, 0o700);
  expect(closedTo(join(folder, 'program'))).toBe(folder);
  chmodSync(folder, 0o755);
  expect(closedTo(join(folder, 'program'))).toBeUndefined();
  chmodSync(join(folder, 'program'), 0o600);
  expect(closedTo(join(folder, 'program'))).toBe(join(folder, 'program'));
});

// The manager of a user wants a folder to run in.
const analyze = (...args: string[]) =>
  spawnSync('systemd-analyze', args, { encoding: 'utf8', env: { ...process.env, XDG_RUNTIME_DIR: tmpdir() } });
const hasAnalyze = analyze('--version').status === 0;

describe.skipIf(!hasAnalyze)('systemd-analyze (Debian: systemd; left out without it)', () => {
  test.each([{}, { port: '443' }, { data: '/srv/my data' }])('the unit of %j is hardened', async (flags) => {
    await run(serviceInstallCommand, { root, ...flags });
    const threshold = ['security', '--no-pager', '--offline=true', '--threshold=25'];
    expect(analyze(...threshold, inside(unit))).toMatchObject({ status: 0 });
  });

  test('both units are right', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', '/config');
    await run(serviceInstallCommand, { root, data: join(root, 'my data') });
    await run(serviceInstallCommand, { root, scope: 'user' });
    for (const path of [unit, 'config/systemd/user/moorage.service']) {
      const user = path === unit ? [] : ['--user'];
      expect(analyze(...user, '--man=no', 'verify', inside(path))).toMatchObject({ stderr: '', status: 0 });
    }
  });
});
