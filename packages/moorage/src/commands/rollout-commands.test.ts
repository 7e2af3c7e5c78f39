import { unwrap } from '@moorage/base';
import { openRecords } from '@moorage/service/tables';
import { injectFetch, type OpenDatabase } from '@moorage/service/testing/index';
import { type OtaWorld, otaWorld } from '@moorage/service/testing/ota-world';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const open: OpenDatabase = () => openRecords('sqlite::memory:');

let world: OtaWorld;
beforeEach(async () => {
  world = await otaWorld(await open());
  vi.stubGlobal('fetch', injectFetch(world.app.api));
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await world.app.storage.close();
});

const rollout = (
  token: string,
  name: string,
  args: readonly string[] = [],
  flags: Readonly<Record<string, string | true>> = {},
) => runCommand('rollout', token, name, args, flags);

/** A product with a published bundle and a device. */
async function scene() {
  const { app, platform, people, productWithRelease } = world;
  const { product, release } = await productWithRelease();
  const at = { platform_id: platform.id, product_id: product.id, user_id: people.owner.id };
  await app.make.device({ ...at, state: 'active' });
  return { product, release, maker: people.maker.token, admin: (await app.make.admin()).token };
}

test('a rollout takes a template, or that of its product', async () => {
  const { product, release, maker } = await scene();
  const templates = await rollout(maker, 'templates');
  expect(templates.map(({ name }) => name)).toEqual(['careful', 'office_hours', 'at_once']);
  const [careful] = await rollout(maker, 'create', [product.id, release.id], { template: 'careful' });
  expect(careful).toMatchObject({ state: 'draft', settings: { stages: [{ percent: 1 }, {}, {}, {}] } });
  const byDefault = () => rollout(maker, 'create', [product.id, release.id], { template: 'default' });
  await expect(byDefault()).rejects.toThrow('Option --template: Settings or a template are needed');
  expect(await rollout(maker, 'default', [product.id])).toMatchObject([{ template: null }]);
  expect(await rollout(maker, 'default', [product.id], { template: 'at_once' })).toMatchObject([
    { template: 'at_once' },
  ]);
  expect(await byDefault()).toMatchObject([{ settings: { stages: [{}] } }]);
  const [previewed] = await rollout(maker, 'preview', [product.id, release.id], { template: 'default' });
  expect(previewed).toMatchObject({ moves: [{ devices: 1 }], rollout: { stages: [{ devices: 1 }] } });
  const wrong = rollout(maker, 'preview', [product.id, release.id], { template: 'default', filter: 'colour==red' });
  await expect(wrong).rejects.toThrow('Option --filter: ');
  expect(await rollout(maker, 'default', [product.id], { template: 'none' })).toMatchObject([{ template: null }]);
  await expect(rollout(maker, 'create', [product.id, release.id], { template: 'bold' })).rejects.toThrow(
    'Option --template is "bold", not one of careful, office_hours, at_once, default',
  );
  const both = rollout(maker, 'create', [product.id, release.id], { template: 'careful', stages: 'all' });
  await expect(both).rejects.toThrow('Option --template has the stages, too: leave --stages out');
});

test('who waits is left out, and a bundle in use is archived with its rollouts alone', async () => {
  const { product, release, maker } = await scene();
  const { client } = world.app;
  const start = async (): Promise<string> => {
    const body = { title: 'Spring', bundle_id: release.id, settings: { stages: [{}] } };
    const made = await client.as(maker).call('rollouts.create', { params: { product_id: product.id }, body });
    const [started] = await rollout(maker, 'start', [unwrap(made).value.id]);
    return String(started?.id);
  };
  const id = await start();
  await expect(rollout(maker, 'leave-out', [id], { unseen: '0' })).rejects.toThrow('Option --unseen');
  expect(await rollout(maker, 'leave-out', [id])).toMatchObject([{ state: 'finished' }]);
  await expect(rollout(maker, 'leave-out', [id])).rejects.toThrow('A rollout');

  const bundles = (name: string, args: readonly string[], flags: Readonly<Record<string, string | true>> = {}) =>
    runCommand('bundles', maker, name, [product.id, release.version, ...args], flags);
  const reached = await bundles('tag', ['none'], { 'dry-run': true });
  expect(reached).toMatchObject([{ event: 'reach', moves: [], out: { nothing: 1 } }]);
  await bundles('tag', ['none']);
  await start();
  await expect(bundles('archive', [])).rejects.toThrow('rollout "Spring" (running)');
  expect(await bundles('archive', [], { 'abort-rollouts': true })).toMatchObject([{ state: 'archive' }]);
});

test('a rollout is approved, rejected, cancelled and signalled', async () => {
  const { product, release, maker, admin } = await scene();
  const { client } = world.app;
  const settings = { stages: [{ count: 1, gate: { signal: { within_s: 60 } } }, {}], approval: true };
  const draft = async (): Promise<string> => {
    const body = { title: 'Spring', bundle_id: release.id, settings };
    const params = { product_id: product.id };
    return unwrap(await client.as(maker).call('rollouts.create', { params, body })).value.id;
  };
  const id = await draft();
  expect(await rollout(maker, 'start', [id])).toMatchObject([{ state: 'awaiting_approval' }]);
  await expect(rollout(maker, 'approve', [id])).rejects.toThrow('approve a rollout of your own');
  expect(await rollout(admin, 'reject', [id])).toMatchObject([{ state: 'draft' }]);
  await rollout(maker, 'start', [id]);
  expect(await rollout(admin, 'approve', [id])).toMatchObject([{ state: 'running' }]);
  expect(await rollout(maker, 'signal', [id])).toMatchObject([{ state: 'running' }]);
  expect(await rollout(maker, 'signal', [id], { stop: true, reason: 'Smoke' })).toMatchObject([
    { state: 'paused', reason: 'Smoke' },
  ]);
  expect(await rollout(maker, 'roll-back', [id], { bundle: release.version })).toMatchObject([
    { state: 'rolled_back', reason: `by a person, to version ${release.version}` },
  ]);
  expect(await rollout(maker, 'cancel', [await draft()])).toMatchObject([{ state: 'cancelled' }]);
});

test('the emergency stop is of a product or, for an administrator, of everything', async () => {
  const { product, maker, admin } = await scene();
  await expect(rollout(maker, 'stop')).rejects.toThrow('One of PRODUCT and --all');
  await expect(rollout(admin, 'stop', [product.id], { all: true })).rejects.toThrow('One of PRODUCT and --all');
  await expect(rollout(maker, 'stop', [], { all: true })).rejects.toThrow();
  expect(await rollout(maker, 'stop', [product.id])).toMatchObject([{ event: 'stopped', paused: 0 }]);
  expect(await rollout(maker, 'thaw', [product.id])).toMatchObject([{ event: 'thawed' }]);
  expect(await rollout(admin, 'stop', [], { all: true, reason: 'Fire' })).toMatchObject([{ paused: 0 }]);
  const freezes = async () => unwrap(await world.app.client.as(maker).call('rollouts.freezes', {})).value;
  expect(await freezes()).toMatchObject([{ reason: 'Emergency stop: Fire' }]);
  expect(await rollout(admin, 'thaw', [], { all: true })).toMatchObject([{ event: 'thawed' }]);
  expect(await freezes()).toEqual([]);
});
