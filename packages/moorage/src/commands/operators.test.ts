import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { injectFetch } from '@moorage/service/engine/http/inject-fetch';
import { openRecords } from '@moorage/service/tables';
import { type BundleScene, bundleScene } from '@moorage/service/testing/bundle-scene';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { throwingClient } from '../client/service-client.ts';
import type { CliCommand } from '../command-line/define.ts';
import { resolveOptions } from '../command-line/options.ts';
import { openReporter } from '../command-line/output.ts';
import { written } from '../testing/written.ts';
import { bundlesCreateCommand, bundlesListCommand, bundlesPublishCommand, bundlesTagCommand } from './bundles.ts';
import { runConsole } from './console.ts';
import { filesGetCommand, filesListCommand, filesPutCommand, filesRemoveCommand } from './files.ts';
import { logsCommand } from './logs.ts';
import { productsCommand } from './products.ts';

let scene: BundleScene;
let product: { readonly id: string; readonly product: string };
let folder = '';
let close: () => Promise<void>;

beforeAll(async () => {
  const storage = await openRecords('sqlite::memory:');
  scene = await bundleScene(storage);
  close = async () => {
    await scene.app.service.close();
    await storage.close();
  };
});
afterAll(() => close());
beforeEach(async () => {
  product = await scene.addProduct();
  folder = await mkdtemp(join(tmpdir(), 'moorage-operators-'));
  // The service of the test is the network.
  vi.stubGlobal('fetch', injectFetch(scene.app.api));
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

/** Runs a command as the owner of the product; what it prints, and how it fails. */
async function run(
  command: CliCommand,
  args: readonly string[],
  flags: Record<string, string | true> = {},
  json = false,
) {
  const given = { api: 'http://service', token: scene.owner.token, logins: join(folder, 'none.json'), ...flags };
  const sources = { flags: given, env: {}, file: {} };
  const options = resolveOptions(command.options, sources);
  if (!options.ok) throw new Error(options.error);
  const out = new PassThrough();
  const error = await command
    .run({ options: options.value, sources, args, reporter: openReporter(json, out), json })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return { error, text: written(out) };
}

/** A folder as a maker's build leaves it. */
async function build(): Promise<string> {
  const path = join(folder, 'build');
  await mkdir(join(path, 'webapp'), { recursive: true });
  await mkdir(join(path, '.git'));
  await writeFile(join(path, 'default_setup.script'), 'save\n');
  await writeFile(join(path, 'webapp', 'index.html'), '<h1>Quay</h1>');
  await writeFile(join(path, '.git', 'config'), 'secret');
  await writeFile(join(path, '.env'), 'secret');
  return path;
}

const bundles = async () => await scene.client.call('bundles.list', { params: { product_id: product.id } });

test('products are listed as a table, and as their records', async () => {
  const { text } = await run(productsCommand, [], { find: product.product });
  expect(text).toMatch(/^product +title +platform +state +version +tag +devices +your role\n/);
  expect(text).toContain(product.product);
  expect(text).toMatch(/\n1 product\n$/);
  const events = await run(productsCommand, [], { find: 'none of these' }, true);
  expect(events).toEqual({ error: undefined, text: '' });
  const record = await run(productsCommand, [], { find: product.product }, true);
  expect(JSON.parse(record.text)).toMatchObject({
    event: 'product',
    id: product.id,
  });
});

describe('bundles', () => {
  test('one line creates a bundle of a folder, publishes and tags it; what begins with a dot stays', async () => {
    const flags = { 'bundle-version': '1.2.0.0', publish: true, tag: 'beta' } as const;
    const { error, text } = await run(bundlesCreateCommand, [product.product, await build()], flags);
    expect(error).toBeUndefined();
    expect(text).toBe(`Bundle 1.2.0.0 of ${product.product}:
  default_setup.script (5 bytes)
  webapp/index.html (13 bytes)
Bundle 1.2.0.0 is published, tagged beta
`);
    const params = { product_id: product.id, tag: 'beta' } as const;
    const made = await scene.client.call('bundles.byTag', { params });
    if (!made.ok) throw new Error(made.error.body.message);
    expect(made.value.value.resources.map(({ filename }) => filename).sort()).toEqual([
      'default_setup.script',
      'webapp/index.html',
    ]);
  });

  test('without a version it is one higher, without --publish in preview', async () => {
    const path = await build();
    for (const version of ['0.0.0.1', '0.0.0.2']) {
      const { text } = await run(bundlesCreateCommand, [product.product, path]);
      expect(text).toContain(`Bundle ${version} is in preview\n`);
    }
  });

  test('a bundle whose file is refused leaves nothing behind', async () => {
    const path = await build();
    await writeFile(join(path, `${'x'.repeat(200)}.bin`), '');
    const { error } = await run(bundlesCreateCommand, [product.product, path], { publish: true });
    expect(error).toBeDefined();
    expect(await bundles()).toMatchObject({ ok: true, value: { value: [] } });
  });

  test('a bundle is published, tagged and listed', async () => {
    await run(bundlesCreateCommand, [product.product, await build()], { 'bundle-version': '2.0.0.0' });
    expect((await run(bundlesTagCommand, [product.product, '2.0.0.0', 'alpha'])).error).toBeDefined();
    const published = await run(bundlesPublishCommand, [product.product, '2.0.0.0']);
    expect(published).toEqual({ error: undefined, text: 'Bundle 2.0.0.0 is published\n' });
    const tagged = await run(bundlesTagCommand, [product.product, '2.0.0.0', 'alpha']);
    expect(tagged.text).toBe('Bundle 2.0.0.0 is published, tagged alpha\n');
    const { text } = await run(bundlesListCommand, [product.product], { state: 'published' });
    expect(text).toMatch(/^version +state +tag +firmware +installed +created\n2\.0\.0\.0 +published +alpha +/);
    expect((await run(bundlesTagCommand, [product.product, '2.0.0.0', 'none'])).text).toBe(
      'Bundle 2.0.0.0 is published\n',
    );
    expect((await run(bundlesListCommand, [product.product], { state: 'archive' })).text).toBe('0 bundles\n');
  });

  test.each([
    [
      bundlesCreateCommand,
      ['build'],
      { tag: 'beta' },
      2,
      'Option --tag is for published bundles: --publish is missing',
    ],
    [bundlesCreateCommand, ['build'], { tag: 'gamma', publish: true }, 2, 'Option --tag is "gamma", not one of'],
    [bundlesCreateCommand, ['none'], {}, 2, 'cannot be read'],
    [bundlesCreateCommand, ['empty'], {}, 2, 'has no files'],
    [bundlesCreateCommand, ['build'], { firmware: '9.9' }, 1, 'Option --firmware is "9.9"'],
    [bundlesCreateCommand, ['build'], { 'bundle-version': 'x' }, 2, 'Option --bundle-version: '],
    [bundlesPublishCommand, ['9.9.9.9'], {}, 1, 'Argument VERSION is "9.9.9.9": the product has no such bundle'],
    [bundlesTagCommand, ['1.0.0.0', 'gold'], {}, 2, 'Argument TAG is "gold", not one of'],
    [bundlesListCommand, [], { state: 'lost' }, 2, 'Option --state is "lost", not one of'],
  ] as const)('%# is refused and says why', async (command, args, flags, exitCode, message) => {
    await build();
    await mkdir(join(folder, 'empty'));
    const places = args.map((arg) => (['build', 'none', 'empty'].includes(arg) ? join(folder, arg) : arg));
    const { error } = await run(command, [product.product, ...places], flags);
    expect(error).toMatchObject({ exitCode, message: expect.stringContaining(message) });
  });
});

test('files of a product are written, listed, read and deleted', async () => {
  const owner = { product: product.product };
  const file = join(folder, 'plan.txt');
  await writeFile(file, 'quay');
  expect((await run(filesPutCommand, [file, 'images/plan.txt'], owner)).text).toBe('images/plan.txt: 4 bytes\n');
  expect((await run(filesPutCommand, [file], owner)).text).toBe('plan.txt: 4 bytes\n');
  expect((await run(filesListCommand, ['images/'], owner)).text).toMatch(/\nimages\/plan\.txt +4 .*\n1 file\n$/);
  const output = join(folder, 'back.txt');
  expect((await run(filesGetCommand, ['images/plan.txt'], { ...owner, output })).error).toBeUndefined();
  expect(await readFile(output, 'utf8')).toBe('quay');
  expect((await run(filesRemoveCommand, ['plan.txt'], owner)).text).toBe('plan.txt is deleted\n');
  expect((await run(filesListCommand, [], owner)).text).toMatch(/\n1 file\n$/);
  expect((await run(filesGetCommand, ['plan.txt'], owner)).error).toMatchObject({ exitCode: 1 });
});

test.each([
  [filesListCommand, [], {}, '--device and --product'],
  [filesListCommand, [], { device: 'a', product: 'b' }, '--device and --product'],
  [filesPutCommand, ['/none/of/that'], { product: 'X' }, 'cannot be read'],
] as const)('files: %# is exit code 2', async (command, args, flags, message) => {
  const { error } = await run(command, args, flags);
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
});

test('logs are shown with the newest last, by type and product', async () => {
  await run(bundlesCreateCommand, [product.product, await build()], { 'bundle-version': '1.0.0.0' });
  await scene.app.clock.advance(1_000);
  await run(bundlesPublishCommand, [product.product, '1.0.0.0']);
  const { text } = await run(logsCommand, [], { product: product.product });
  const types = text
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/)[3]);
  expect(types.slice(0, -1)).toContain('bundle.create');
  expect(types.at(-1)).toBe('bundle.state');
  const one = await run(logsCommand, [], { type: 'bundle.state', limit: '1' }, true);
  expect(JSON.parse(one.text)).toMatchObject({ event: 'log', type: 'bundle.state', product_id: product.id });
  expect((await run(logsCommand, [], { limit: '0' })).text).toBe('');
  expect((await run(logsCommand, [], { type: 'nothing' })).error).toMatchObject({ exitCode: 2 });
});

test('the console of a device that is away says so: a person goes on, a pipe ends', async () => {
  const device = await scene.app.make.device({
    platform_id: scene.platform.id,
    product_id: product.id,
    user_id: scene.owner.id,
  });
  expect(await run(logsCommand, [], { device: device.uuid })).toEqual({ error: undefined, text: '' });
  expect((await run(logsCommand, [], { device: 'none' })).error).toMatchObject({ message: 'Device not found' });
  const service = throwingClient('http://service', scene.owner.token);
  async function* lines() {
    yield 'version';
    yield '';
    yield 'get all';
  }
  const out = new PassThrough();
  let prompts = 0;
  const typed = { lines: lines(), isTerminal: true, prompt: () => void prompts++ };
  await runConsole(service, device.id, typed, openReporter(false, out));
  expect(prompts).toBe(4);
  expect(written(out).split('\n').filter(Boolean)).toHaveLength(2);
  const piped = { ...typed, lines: lines(), isTerminal: false };
  await expect(runConsole(service, device.id, piped, openReporter(true, out))).rejects.toMatchObject({ exitCode: 1 });
});
