import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { wallDefaults } from '../wall-module.ts';
import { accessibilityProblems, complaints, openQuay, photograph, type Quay, skipReason } from './harness.ts';

const address = 'http://127.0.0.1:44080';

/** Gives the streams of an adopted module on its page: none, wrong ones, right ones. */
async function sayWhatItMeasures(page: Page, quay: Quay, device: string): Promise<void> {
  const card = page.getByRole('region', { name: 'A real module, behind a gateway' });
  const measures = card.getByRole('textbox', { name: 'What it measures' });
  await measures.fill('{ no json');
  await card.getByText('It is no JSON').waitFor();
  const save = card.getByRole('button', { name: 'Save what it measures' });
  expect(await save.isDisabled()).toBe(true);
  const streams = (command: string) =>
    JSON.stringify({ name: 'Gauge', version: '1', streams: { uptime: { type: 'number', units: 's', command } } });
  await measures.fill(streams('reboot'));
  await save.click();
  await card.getByText('no command that only reads').waitFor();
  await photograph(page, 'gateway-streams');
  expect(await accessibilityProblems(page)).toEqual([]);
  await measures.fill(streams('get time.uptime'));
  await save.click();
  await card.getByText('no command that only reads').waitFor({ state: 'detached' });
  const capabilities = async () =>
    unwrap(await quay.client.call('data.capabilities', { params: { device_id: device } })).value;
  await expect
    .poll(capabilities, { timeout: 90_000 })
    .toMatchObject({ activated: true, capabilities: { streams: { uptime: { type: 'number' } } } });
  await page.reload();
  await expect.poll(() => measures.inputValue()).toBe(streams('get time.uptime'));
}

describe.skipIf(skipReason)('a gateway', () => {
  let folder = '';
  let quay: Quay;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-console-gateway-'));
    quay = await openQuay();
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
    await rm(folder, { recursive: true, force: true });
  });

  // API-RULE-gateways-1
  test('shows what it has found, adopts it when asked, and what it can do is said', async () => {
    const personality = join(folder, 'personality.json');
    await writeFile(personality, JSON.stringify({ variableDefaults: wallDefaults }));
    const module = moorage([
      'module',
      ...['--serial', 'none', '--port-offset', '44000', '--personality', personality, '--json'],
    ]);
    const { mac, uuid } = await eventOf(module, 'ready');
    const { devices } = await eventOf(quay.program, 'ready');
    const { token } = unwrap(await quay.client.call('tokens.create', {})).value;
    const home = join(folder, 'gateway');
    const gateway = moorage(['gateway', '--service', String(devices), '--data', home, '--ip', '127.0.0.1', '--json'], {
      MOORAGE_API: quay.url,
      MOORAGE_TOKEN: token ?? '',
    });
    const page = await quay.open({ path: '/devices' });
    const found = page.getByRole('table', { name: 'Found on your network' });
    await found.getByText(String(mac)).waitFor();
    await photograph(page, 'found');
    expect(await accessibilityProblems(page)).toEqual([]);
    await found.getByRole('button', { name: `Adopt … ${address}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Product' }).click();
    await page.getByRole('option', { name: /TIDE_GAUGE/ }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Adopt', exact: true }).click();
    const { device } = await eventOf(gateway, 'adopted');
    await found.waitFor({ state: 'detached' });
    expect(unwrap(await quay.client.call('devices.get', { params: { identifier: String(uuid) } })).value.id).toBe(
      device,
    );

    await page.goto(new URL(`/devices/${device}`, quay.url).href);
    const card = page.getByRole('region', { name: 'A real module, behind a gateway' });
    await card.getByText(`reaches its command line at ${address}`).waitFor();
    await card.getByText('no command of a module writes it').waitFor();
    await photograph(page, 'gateway-device');
    expect(await accessibilityProblems(page)).toEqual([]);

    await sayWhatItMeasures(page, quay, String(device));

    // Two archives, as the gateway keeps them: a variable has changed between them.
    for (const [name, value] of [
      ['a.zip', 'before'],
      ['b.zip', 'after'],
    ] as const) {
      const set = await fetch(`${address}/command/${encodeURIComponent(`set user.data ${value}`)}`);
      expect(await set.json()).toMatchObject({ code: 0 });
      const file = join(folder, name);
      expect(await moorage(['rescue', address, '--output', file, '--json']).ended).toBe(0);
      const params = { device_id: String(device), path: `backups/${name}` };
      const body = new Blob([await readFile(file)]);
      unwrap(await quay.client.call('deviceFiles.upload', { params, query: {}, body }));
    }
    await page.goto(new URL(`/devices/${device}/files`, quay.url).href);
    const backups = page.getByRole('region', { name: 'Backups' });
    await backups.getByRole('button', { name: 'Compare' }).click();
    const row = backups.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /^user\.data/ });
    await row.getByRole('cell', { name: 'before', exact: true }).waitFor();
    await row.getByRole('cell', { name: 'after', exact: true }).waitFor();
    await photograph(page, 'backups');
    expect(await accessibilityProblems(page)).toEqual([]);
    await backups.getByRole('button', { name: 'Make a twin … b.zip' }).click();
    await page.getByRole('dialog').getByText('moorage module --from "b.zip"').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test('of a module with a password says how to adopt it on the machine of the gateway', async () => {
    const params = { gateway_id: '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e' };
    const modules = [{ address: 'http://192.168.1.62:80', has_password: true }];
    unwrap(await quay.client.call('gateways.report', { params, body: { gateway: 'cellar', modules } }));
    const page = await quay.open({ path: '/devices' });
    await page.getByText('moorage gateway --adopt http://192.168.1.62:80 --product …').waitFor();
    expect(await page.getByRole('button', { name: /^Adopt/ }).count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });
});
