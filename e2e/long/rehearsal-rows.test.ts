import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, ExecutionRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { parseScenario } from '@moorage/fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runToEnd } from '../../packages/moorage/src/rehearsal/run.ts';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { bundleFiles } from '../../packages/moorage/src/up/example-files.ts';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';
import { administratorOf, login } from '../up-scene.ts';

const [from, to, seed, count] = ['1.0.0.0', '1.0.0.1', '7', 12] as const;
const bad = (fault: string, percent = 100) => [{ version: to, fault, percent }];
const scenario = {
  groups: [
    { name: 'Pier', share: 5, poll_s: 2 },
    { name: 'Buoy', share: 4, poll_s: 2, failures: bad('does_not_boot', 50) },
    { name: 'Float', share: 3, poll_s: 2, failures: bad('reports_old', 70) },
  ],
};
const settings = { stages: [{ percent: 50, gate: { done_percent: 0 } }, {}] };

/** How each device has ended, by its title. */
const endsOf = (executions: readonly ExecutionRecord[]) =>
  Object.fromEntries(
    executions.map(({ device, state, kind, bundle }): [string, unknown] => [device, { state, kind, bundle }]),
  );

let folder: string;
let service: Moorage;
let admin: Client;
let ready: Record<string, unknown>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'moorage-rows-'));
  service = moorage(['serve', '--data', join(folder, 'data'), '--port', '0', '--device-port', '0', '--json'], login);
  ready = await eventOf(service, 'ready');
  admin = await administratorOf(ready);
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The same rollout over a fleet of processes and sockets. */
async function onSockets(): Promise<readonly ExecutionRecord[]> {
  const { bundle, product } = await ensureExample(admin, '4d4f4f52');
  const params = { product_id: product.id };
  const body = { product_id: product.id, firmware_id: bundle.firmware_id, version: to };
  const at = { params: { bundle_id: must(await admin.call('bundles.create', { params, body })).id } };
  for (const file of bundleFiles(to)) must(await admin.call('bundles.addResource', { ...at, body: file }));
  must(await admin.call('bundles.setState', { ...at, body: { state: 'published' } }));
  const file = join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  const account = { username: login.MOORAGE_ADMIN_EMAIL, password: login.MOORAGE_ADMIN_PASSWORD };
  const { token } = must(await admin.as(undefined).call('auth.login', { body: account }));
  const service = ['--api', String(ready.api), '--service', String(ready.devices), '--product', product.product];
  const args = ['fleet', ...service, '--count', String(count), '--seed', seed, '--scenario', file, '--json'];
  const fleet = moorage(args, { MOORAGE_TOKEN: token });
  const runs = async () =>
    must(await admin.call('devices.list', { query: { filter: `version==${from}`, limit: count } })).length;
  await expect.poll(runs, { timeout: 120_000, interval: 500 }).toBe(count);
  const draft = { title: 'Spring', bundle_id: at.params.bundle_id, settings };
  const { id: rollout_id } = must(await admin.call('rollouts.create', { params, body: draft }));
  const of = { params: { rollout_id } };
  must(await admin.call('rollouts.act', { ...of, body: { action: 'start' } }));
  const state = async () => must(await admin.call('rollouts.get', of)).state;
  await expect.poll(state, { timeout: 180_000, interval: 500 }).toBe('finished');
  const executions = must(await admin.call('rollouts.executions', { ...of, query: { limit: count } }));
  fleet.process.kill('SIGTERM');
  await fleet.ended;
  return executions;
}

test('a rehearsal with the same faults ends like the rollout on sockets, device by device', async () => {
  const plan = { rollout: { title: 'Spring', settings }, version: to, from, devices: count, days: 1 };
  const groups = unwrap(parseScenario(JSON.stringify(scenario)));
  const { executions: rehearsed } = await runToEnd({ ...plan, scenario: groups }, seed, () => {});
  const ends = endsOf(rehearsed);
  expect(Object.keys(ends)).toHaveLength(count);
  // Of each end there is one to compare.
  const kinds = new Set(rehearsed.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set([null, 'install', 'boot']));
  expect(endsOf(await onSockets())).toEqual(ends);
});
