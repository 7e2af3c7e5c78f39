import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { published } from '../../scripts/packages.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const runFile = promisify(execFile);
const admin = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };

/** A program of a package's README: the first one, or that with this index. */
function exampleOf(workspace: string, index = 0): string {
  const text = readFileSync(join(root, 'packages', workspace, 'README.md'), 'utf8');
  return [...text.matchAll(/```js\n(.*?)```/gs)][index]?.[1] ?? '';
}

/** Bytes of the files in a folder. */
function sizeOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** An older Node, where the machine has one. */
const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path));

describe('the packages, packed and installed in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'moorage packages '));
  afterAll(() => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });
  const inside = (...names: string[]) => join(folder, ...names);
  const program = () => inside('node_modules', 'moorage', 'bin', 'moorage.mjs');
  const node = (path: string, ...args: string[]) => runFile(path, args, { cwd: folder });

  beforeAll(async () => {
    await runFile(process.execPath, [join(root, 'scripts', 'package.ts')], { cwd: root });
    const folders = published.map(({ name }) => join(root, 'dist', name.replace('@moorage/', '')));
    const pack = ['pack', '--pack-destination', folder, ...folders];
    await runFile('npm', pack, { cwd: folder });
    const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    expect(archives).toHaveLength(published.length);
    writeFileSync(inside('package.json'), '{"type":"module","private":true}');
    // Without what is optional: the pseudo-terminals' and the newer Node.
    const install = ['install', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund'];
    await runFile('npm', [...install, ...archives.map((name) => `./${name}`)], { cwd: folder });
  });

  test('the program leads a module to its update', async () => {
    const args = ['up', '--data', inside('data'), '--port', '0', '--device-port', '0', '--json'];
    const running = moorage(args, admin, program());
    const { api } = await eventOf(running, 'ready');
    await eventOf(running, 'updated');
    const page = await (await fetch(String(api), { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('<div id="root">');

    // The example of the client's README, as it stands but for the address.
    writeFileSync(inside('client.js'), exampleOf('api').replace('http://127.0.0.1:8080', String(api)));
    const { stdout } = await node(process.execPath, 'client.js');
    expect(stdout).toMatch(/^[0-9a-f]{40} \S+-1\.0\.0\.0, /);

    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  test('the module answers in a program of ten lines', async () => {
    writeFileSync(inside('module.js'), exampleOf('module'));
    const { stdout } = await node(process.execPath, 'module.js');
    expect(stdout).toMatch(/^0 \S+-\d/);
  });

  test.each([
    ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--root', '.']],
    ['node:test', ['--test']],
  ])('the tests of the README pass under %s, and one that fails shows its transcript', async (runner, args) => {
    const modules = inside('node_modules', 'vitest');
    if (!existsSync(modules)) symlinkSync(join(root, 'node_modules', 'vitest'), modules);
    const name = `${runner.replace(':', '-')}.test.js`;
    writeFileSync(inside(name), exampleOf('module', 1).replace("'vitest'", `'${runner}'`));
    await expect(node(process.execPath, ...args, name)).resolves.toBeDefined();
    const failing = `import { test } from '${runner}';
import { withModule } from '@moorage/module/testing';
test('fails', withModule(async (module) => {
  module.send('version');
  await module.expect('Quay');
}));
`;
    writeFileSync(inside(`failing-${name}`), failing);
    const failed = await node(process.execPath, ...args, `failing-${name}`).then(
      () => undefined,
      (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
    );
    expect(failed).toContain('0.000 > version');
  });

  test('the examples have types', async () => {
    const wrong = "// @ts-expect-error\nclient.call('devices.lost', {});\n";
    const texts = {
      client: exampleOf('api') + wrong,
      device: `const uuid = '';\n${exampleOf('device')}`,
      module: exampleOf('module'),
      testing: exampleOf('module', 1).replace("'vitest'", "'node:test'"),
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(inside(`${name}-types.ts`), `${text}export {};\n`);
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
    ];
    const roots = ['--typeRoots', join(root, 'node_modules', '@types')];
    await expect(
      node(process.execPath, tsc, ...options, ...roots, ...Object.keys(texts).map((name) => `${name}-types.ts`)),
    ).resolves.toMatchObject({ stdout: '' });
  });

  test('they are complete', () => {
    for (const name of ['moorage', '@moorage/client', '@moorage/device', '@moorage/module'])
      for (const file of ['README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.md', 'package.json'])
        expect(existsSync(inside('node_modules', name, file))).toBe(true);
    expect(readFileSync(inside('node_modules/moorage/THIRD-PARTY-NOTICES.md'), 'utf8')).toContain('## react ');
  });

  test('the program alone takes less than 40 MB, all that it needs included', async () => {
    const alone = inside('alone');
    mkdirSync(alone);
    writeFileSync(join(alone, 'package.json'), '{"private":true}');
    const archive = readdirSync(folder).find((name) => /^moorage-\d/.test(name));
    const install = ['install', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', `../${archive}`];
    await runFile('npm', install, { cwd: alone });
    expect(sizeOf(join(alone, 'node_modules'))).toBeLessThan(40_000_000);
  });

  test.skipIf(olderNode === undefined)(
    'a Node that is too old says what is needed, or starts the one that npm has brought',
    async () => {
      const { stdout } = await runFile(olderNode ?? '', ['--version']);
      if (Number.parseInt(stdout.slice(1), 10) >= 26) return;
      const refused = runFile(olderNode ?? '', [program(), '--version']);
      await expect(refused).rejects.toMatchObject({
        code: 70,
        stderr: expect.stringContaining('Node 26 or newer is needed'),
      });
      // With the optional package that brings one.
      const brought = `node-${process.platform}-${process.arch}`;
      symlinkSync(join(root, 'node_modules', brought), inside('node_modules', brought));
      expect((await runFile(olderNode ?? '', [program(), '--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );
});
