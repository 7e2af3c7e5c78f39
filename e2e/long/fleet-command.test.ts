import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@moorage/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';
import { administratorOf, login } from '../up-scene.ts';

const scenario = new URL('../../examples/bad-bundle.json', import.meta.url).pathname;
const partId = '4d4f4f52';

// What a fleet does by itself is tested on virtual time, in virtual-fleet.test.ts.
describe('moorage fleet beside moorage serve', () => {
  let folder: string;
  let service: Moorage;
  let ready: Record<string, unknown>;
  let admin: Client;
  let token: string;
  let product: string;
  let productId: string;
  let bundleId: string;

  const fleet = (...args: string[]): Moorage =>
    moorage(
      [
        'fleet',
        '--api',
        String(ready.api),
        '--service',
        String(ready.devices),
        '--product',
        product,
        '--json',
        ...args,
      ],
      { MOORAGE_TOKEN: token },
    );
  const standing = async () => {
    const bundle = must(await admin.call('bundles.get', { params: { bundle_id: bundleId } }));
    return { devices: bundle.device_count, done: bundle.device_count_bundle_ok };
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'moorage-fleet-'));
    service = moorage(['serve', '--data', join(folder, 'data'), '--port', '0', '--device-port', '0', '--json'], login);
    ready = await eventOf(service, 'ready');
    admin = await administratorOf(ready);
    const body = { username: login.MOORAGE_ADMIN_EMAIL, password: login.MOORAGE_ADMIN_PASSWORD };
    token = must(await admin.as(undefined).call('auth.login', { body })).token;
    const example = await ensureExample(admin, partId);
    [product, productId, bundleId] = [example.product.product, example.product.id, example.bundle.id];
  });

  afterAll(async () => {
    service.process.kill('SIGTERM');
    await service.ended;
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });

  test('ends with 0 when all run what they were offered, as the service says', async () => {
    const run = fleet('--count', '10', '--until', 'updated', '--metrics-port', '0');
    const begun = await eventOf(run, 'ready');
    expect(begun).toMatchObject({ count: 10, product, api: ready.api, state: null });
    const figures = await (await fetch(String(begun.metrics))).text();
    expect(figures).toContain('moorage_fleet_modules 10\n');
    expect(figures).toContain('# TYPE moorage_fleet_polls_total counter\n');
    expect(await eventOf(run, 'summary')).toMatchObject({ modules: 10, failed: 0, lost: 0 });
    expect(await run.ended).toBe(0);
    expect(await eventOf(run, 'end')).toMatchObject({ code: 0, updated: 10, updates: 10, failures: 0 });
    expect(await standing()).toEqual({ devices: 10, done: 10 });
  });

  test('goes on with the same modules when it was killed', async () => {
    const state = ['--state', join(folder, 'fleet'), '--count', '4'];
    const killed = fleet(...state);
    await eventOf(killed, 'ready');
    killed.process.kill('SIGKILL');
    await killed.ended;
    const again = fleet(...state, '--until', 'updated');
    expect(await again.ended).toBe(0);
    // Those of the test before, and these: no device more.
    expect(await standing()).toEqual({ devices: 14, done: 14 });
    // They have all of it already.
    const third = fleet(...state, '--until', 'updated');
    expect(await third.ended).toBe(0);
    expect(await eventOf(third, 'end')).toMatchObject({ updated: 4, updates: 0 });
    const more = fleet('--state', join(folder, 'fleet'), '--count', '5');
    expect([await more.ended, more.errors()]).toEqual([2, expect.stringContaining('has 4 modules: --count 4')]);
  });

  test('is spread over processes, and stops in order', async () => {
    const run = fleet('--count', '4', '--workers', '2', '--seed', '7');
    await run.line((line) => line.startsWith('{"event":"summary"') && line.includes('"updated":4'));
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    const tokens = await admin.call('products.listTokens', { params: { product_id: productId } });
    // That of the fleet that was killed stays.
    expect(tokens.ok && tokens.value.value.length).toBeLessThanOrEqual(1);
    // The same seed is the same fleet: its devices are known, and get another certificate.
    const again = fleet('--count', '4', '--seed', '7', '--until', 'updated');
    expect(await again.ended).toBe(0);
    expect(await standing()).toEqual({ devices: 18, done: 18 });
  });

  test('lives as many times as fast as it is told', async () => {
    const hasty = join(folder, 'every-ten-minutes.json');
    writeFileSync(hasty, '{ "groups": [{ "name": "fleet", "share": 1, "poll_s": 600 }] }');
    const run = fleet('--count', '2', '--time', '1000', '--scenario', hasty);
    // In real time these are hours.
    await run.line((line) => Number(/^{"event":"summary".*"polls":(\d+)/.exec(line)?.[1] ?? 0) >= 40);
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    const refused = fleet('--count', '1', '--time', 'virtual');
    expect([await refused.ended, refused.errors()]).toEqual([2, expect.stringContaining('--time cannot be virtual')]);
  });

  test('ends with 1 when a bad version keeps some from it', async () => {
    const bundle = must(await admin.call('bundles.get', { params: { bundle_id: bundleId } }));
    const body = { product_id: productId, firmware_id: bundle.firmware_id, version: '1.0.0.1' };
    const bad = must(await admin.call('bundles.create', { params: { product_id: productId }, body }));
    const params = { bundle_id: bad.id };
    must(await admin.call('bundles.setState', { params, body: { state: 'published' } }));
    must(await admin.call('bundles.setTag', { params, body: { tag: 'release' } }));
    const run = fleet('--count', '4', '--scenario', scenario, '--until', 'updated', '--timeout', '60');
    expect(await run.ended).toBe(1);
    expect(await eventOf(run, 'end')).toMatchObject({ code: 1, updated: 3, failed: 1 });
    expect(run.errors()).toContain('Not all modules run what they were offered after 60 s');
    const listed = must(await admin.call('devices.list', { query: { q: 'model-b' } }));
    expect(listed.map(({ title, standing: { state } }) => [title, state])).toEqual([['model-b 4', 'failed']]);
  });

  test.each([
    [['--count', '0'], 'Option --count is 0'],
    [['--until', 'tomorrow'], 'Option --until is "tomorrow", not updated'],
    [['--timeout', '5'], 'Option --timeout is for --until'],
    [['--time', 'virtual'], 'Option --time cannot be virtual'],
    [['--part', '3/2'], 'Option --part is "3/2"'],
    [['--scenario', '/dev/null'], 'The scenario "/dev/null" is wrong: It is not JSON'],
  ] as const)('%j is refused', async (args, message) => {
    const run = fleet(...args);
    expect(await run.ended).toBe(2);
    expect(run.errors()).toContain(message);
  });
});
