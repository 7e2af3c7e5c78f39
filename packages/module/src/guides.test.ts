import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allCommands } from './commands/index.ts';
import { parseModel } from './model/model.ts';
import { loadPersonality } from './personality/personality.ts';
import { moduleRig } from './testing/module-rig.ts';
import { parseAir } from './wlan/air.ts';

const readGuide = (guide: string): string =>
  readFileSync(new URL(`../../../docs/guide/${guide}`, import.meta.url), 'utf8');

/** The first JSON block of a guide. */
function exampleOf(guide: string): string {
  const block = /^```json\n(.*?)^```$/ms.exec(readGuide(guide))?.[1];
  if (block === undefined) throw new Error(`Guide ${guide} has no example`);
  return block;
}

test('The guide to personalities has one that works', async () => {
  const loaded = loadPersonality(exampleOf('personality.md'));
  if (!loaded.ok) throw new Error(loaded.error);
  const { logged, module, pass, run } = await moduleRig({ personality: loaded.value });
  const banner = 'Breakwater-2.1.0.4, Built:2014-11-02 09:30:00 for BW100.2, Board:BW100_Eval.1';
  expect(logged()).toEqual([banner, '[Ready]']);
  expect(await run('fw_version')).toBe(`0 ${banner}`);
  expect(await run('get uart.baud 0')).toBe('0 9600');
  expect(await run('save')).toBe('0 OK');
  await run('set wlan.ssid harbour-open');
  await run('network_up');
  await pass(0);
  expect(logged().at(-1)).toBe('[Online]');
  expect(module.timings.scanMs).toBeGreaterThanOrEqual(1500);
  expect(module.timings.scanMs).toBeLessThanOrEqual(4000);
});

test('The guide to models has one that works', async () => {
  const parsed = parseModel(exampleOf('model.md'));
  if (!parsed.ok) throw new Error(parsed.error);
  const { module, run } = await moduleRig({ model: parsed.value });
  expect(module.identity.uuid).toMatch(/^42573130/);
  expect(await run('setup boot.script')).toBe('0 Success');
  expect(await run('gpio_get 24')).toMatch(/^7 /);
  expect(module.sessionLimits.historyLines).toBe(10);
  for (let count = 0; count < 3; count++) await module.fault('Bus Fault');
  expect(module.safeMode).toBe(true);
});

test('The guide to the air has one that works', async () => {
  const parsed = parseAir(exampleOf('air.md'));
  if (!parsed.ok) throw new Error(parsed.error);
  const { logged, module, pass, run } = await moduleRig({ air: parsed.value });
  expect(await run('wlan_scan quay')).toMatch(/^0 ! 2 networks found\r\n/);
  expect(await run('wps')).toBe('0 Success');
  expect(await run('network_up')).toBe('0 In progress');
  await pass(2_000);
  expect(logged().at(-1)).toBe('[Associated]');
  expect(module.wlan.accessPoint?.channel).toBe(1);
  await pass(120_000);
  expect([logged(), module.wlan.accessPoint?.channel]).toEqual([[], 11]);
  await run('set wlan.ssid cellar');
  await run('set wlan.passkey ""');
  await run('network_restart');
  await pass(0);
  expect(await run('get network.gateway')).toBe('0 192.168.7.1');
  expect(await run('network_up -i softap')).toBe('0 Success');
  await pass(5_000);
  expect(logged().at(-1)).toBe('[Associated: 02:00:00:00:01:01]');
});

test('The guide to the module names the commands that wait, and no others', () => {
  const section = /^## Long commands\n(.*?)^## /ms.exec(readGuide('module.md'))?.[1] ?? '';
  const named = Array.from(section.matchAll(/`([a-z_]+)(?: -s)?`/g), (match) => match[1]);
  const waiting = allCommands.filter(({ waitsFor }) => waitsFor !== undefined).map(({ name }) => name);
  expect(named.toSorted()).toEqual(waiting.toSorted());
});
