import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@moorage/api';
import { databaseSource } from '@moorage/service/testing/index';
import { afterAll, expect, test } from 'vitest';
import { ensureExample } from '../../packages/moorage/src/up/example.ts';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const password = 'a long password';
const postgres = databaseSource('postgres', { holds: 'nothing' });

const git = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
};

/** The last migration of 0.1.0: the commit before the one that took it away is that release, as long as none has a tag. */
const lastMigration = 'packages/service/src/engine/db/migrations/0087-alert-addresses.ts';

/** The last release: the newest tag, or while there is none the commit that stands for it. `RELEASE_BEFORE` names another. */
const lastRelease = (): string | undefined =>
  process.env.RELEASE_BEFORE ??
  git('describe', '--tags', '--abbrev=0', '--match', 'v*') ??
  git('log', '-1', '--diff-filter=D', '--format=%h^', '--', lastMigration);

const release = lastRelease();
const folders: string[] = [];

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-beside-'));
  folders.push(folder);
  return folder;
}

/** The sources of a release with the libraries of this one; returns its program. */
async function unpack(name: string): Promise<string> {
  const folder = await scratch();
  const archive = execFileSync('git', ['archive', name], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@moorage'), { recursive: true });
  for (const entry of await readdir(join(root, 'node_modules'))) {
    if (entry !== '@moorage') await symlink(join(root, 'node_modules', entry), join(modules, entry));
  }
  for (const entry of await readdir(join(folder, 'packages'))) {
    await symlink(join(folder, 'packages', entry), join(modules, '@moorage', entry));
  }
  return join(folder, 'packages', 'moorage', 'src', 'main.ts');
}

afterAll(async () => {
  killAll();
  await postgres.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const uuidOf = (number: number): string => `2b004189${String(number).padStart(32, '0')}`;

async function clientOf(program: Moorage): Promise<Client> {
  const { api } = await eventOf(program, 'ready');
  const client = createClient({ baseUrl: String(api) });
  const session = await client.call('auth.login', { body: { username: 'owner@example.com', password } });
  if (!session.ok) throw new Error(session.error.body.message);
  return client.as(session.value.value.token);
}

test.skipIf(release === undefined)(
  `the last release (${release ?? 'its commit is not in this clone'}) goes on while this version migrates its PostgreSQL and runs beside it`,
  async () => {
    const old = await unpack(release ?? '');
    const database = await postgres.make();
    const data = await scratch();
    const serve = (program?: string) => {
      const args = ['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'];
      const account = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: password };
      const env = { ...account, MOORAGE_DATABASE: database };
      return moorage(args, env, program);
    };
    const before = serve(old);
    const early = await clientOf(before);
    const { product } = await ensureExample(early, '2B004189');
    let going = true;
    const refused: unknown[] = [];
    let asked = 0;
    // All the time, also while the tables change.
    const traffic = (async () => {
      while (going) {
        const reply = await early.call('devices.provision', {
          body: { uuid: uuidOf(1_000 + ++asked), platform_id: product.platform_id },
        });
        if (!reply.ok) refused.push(reply.error);
      }
    })();
    // When something else fails first, that is what counts.
    traffic.catch(() => {});
    const after = serve();
    const late = await clientOf(after);
    const askedBefore = asked;
    for (let number = 0; number < 8; number++) {
      const uuid = uuidOf(number);
      const [writer, reader] = number % 2 === 0 ? [early, late] : [late, early];
      const made = await writer.call('devices.provision', { body: { uuid, platform_id: product.platform_id } });
      if (!made.ok) throw new Error(made.error.body.message);
      const identifier = made.value.value.id;
      expect(
        (await writer.call('devices.activate', { params: { device_id: identifier }, body: { product_id: product.id } }))
          .ok,
      ).toBe(true);
      const read = await reader.call('devices.get', { params: { identifier } });
      expect(read.ok && read.value.value).toMatchObject({ uuid, product_id: product.id });
    }
    await expect.poll(() => asked).toBeGreaterThan(askedBefore);
    going = false;
    await traffic;
    expect(refused, before.errors()).toEqual([]);
    before.process.kill('SIGTERM');
    expect(await before.ended).toBe(0);
    expect((await late.call('devices.list', { query: {} })).ok).toBe(true);
    after.process.kill('SIGTERM');
    expect(await after.ended).toBe(0);
    const isExpected = (line: string) => line.startsWith('First run:') || line.includes('"msg":"Slow request"');
    const lines = [before, after].flatMap((program) => program.errors().split('\n').filter(Boolean));
    expect(lines.filter((line) => !isExpected(line))).toEqual([]);
  },
);
