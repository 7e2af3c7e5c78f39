import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import type { Module } from '../module.ts';
import { moduleRig } from '../testing/module-rig.ts';
import { Indicators } from './indicators.ts';

/** A module that has booted with these settings saved. */
async function setUp(...settings: readonly string[]) {
  const store = new MemoryStore();
  const before = await moduleRig({ store });
  for (const setting of settings) expect(await before.run(`set ${setting}`)).toBe('0 Set OK');
  await before.run('save');
  await before.module.close();
  return moduleRig({ store });
}

const levels = (module: Module, ...pins: readonly number[]) =>
  pins.map((pin) => {
    const signal = module.pins.signal(pin);
    return 'level' in signal ? signal.level : signal;
  });

describe('indicators', () => {
  // MOD-VAR-system.indicator.state
  test('blink together on one timer, half of each period lit', async () => {
    const clock = new VirtualClock();
    const logged: unknown[] = [];
    const indicators = new Indicators(clock, (name, level) => logged.push([clock.monotonic(), name, level]));
    indicators.show('wlan', 'static_on');
    indicators.show('network', 'static_off');
    expect(clock.pending).toBe(0);
    indicators.show('wlan', 'medium_blink');
    indicators.show('network', 'fast_blink');
    expect(clock.pending).toBe(1);
    logged.length = 0;
    indicators.show('network', 'fast_blink');
    await clock.advance(500);
    expect(logged).toEqual([
      [100, 'network', 0],
      [200, 'network', 1],
      [250, 'wlan', 0],
      [300, 'network', 0],
      [400, 'network', 1],
      [500, 'wlan', 1],
      [500, 'network', 0],
    ]);
    indicators.show('wlan', 'slow_blink');
    indicators.show('network', 'static_off');
    logged.length = 0;
    await clock.advance(1000);
    expect(logged).toEqual([
      [1000, 'wlan', 0],
      [1500, 'wlan', 1],
    ]);
    indicators.stop();
    expect(clock.pending).toBe(0);
  });

  // MOD-VAR-system.indicator.gpio
  test('show how the network stands', async () => {
    const { clock, module, pass, run } = await setUp(
      'system.indicator.gpio wlan 1',
      'system.indicator.gpio network 2',
      'system.indicator.gpio softap 3',
      'wlan.ssid harbour-open',
      'softap.ssid Buoy',
    );
    const seen: unknown[] = [];
    for (const pin of [1, 2, 3])
      module.pins.watch(pin, (signal) => seen.push([pin, 'level' in signal && signal.level]));
    expect(levels(module, 1, 2, 3)).toEqual([0, 0, 0]);
    expect(clock.pending).toBe(0);
    await run('network_up');
    await pass(100);
    expect(levels(module, 1, 3)).toEqual([1, 0]);
    // An address has been obtained: a slow blink.
    await pass(400);
    expect(levels(module, 2)).toEqual([0]);
    await pass(500);
    expect(levels(module, 2)).toEqual([1]);
    await run('network_up -i softap');
    expect(levels(module, 3)).toEqual([1]);
    await run('network_down');
    await run('network_down -i softap');
    expect(levels(module, 1, 2, 3)).toEqual([0, 0, 0]);
    expect(clock.pending).toBe(0);
    expect(seen.length).toBeGreaterThan(5);
    await run('set wlan.ssid nowhere');
    await run('network_up');
    await pass(5000);
    // The error pattern is a fast blink.
    expect(clock.pending).toBe(1);
    await run('set system.indicator.gpio wlan -1');
    expect(levels(module, 1)).toEqual([null]);
    await module.close();
    expect(clock.pending).toBe(0);
  });

  test('have the pins of the boot', async () => {
    const { module, run } = await moduleRig();
    await run('set system.indicator.state wlan static_on|static_on|static_on|static_on');
    await run('set system.indicator.gpio wlan 1');
    expect(levels(module, 1)).toEqual([null]);
    await run('save');
    await module.reboot();
    expect(levels(module, 1)).toEqual([1]);
  });
});

// MOD-VAR-wlan.network.up_gpio
test('the network-up pin is high while the station has its address', async () => {
  const { module, pass, run } = await setUp('wlan.network.up_gpio 4', 'wlan.ssid harbour-open');
  expect(levels(module, 4)).toEqual([0]);
  await run('network_up');
  await pass(100);
  expect(levels(module, 4)).toEqual([1]);
  await run('network_down');
  expect(levels(module, 4)).toEqual([0]);
});

// MOD-VAR-system.cmd.gpio
test('the command pin toggles with every response, refusals too', async () => {
  const { module, run } = await setUp('system.cmd.gpio 4');
  const seen: unknown[] = [];
  module.pins.watch(4, (signal) => seen.push('level' in signal && signal.level));
  await run('version');
  await run('nonsense');
  await run('gge 29');
  await run('fcr a.txt 2', 'ab');
  expect(seen).toEqual([1, 0, 1, 0]);
  await run('set system.cmd.gpio -1');
  await run('version');
  expect(seen).toEqual([1, 0, 1, 0, null]);
});

// MOD-OPT-factory_reset-pin
describe('GPIO 0 held through a reset', () => {
  test('brings the defaults after 10 s, once until it is released', async () => {
    const { logged, module, pass, run } = await setUp('wlan.ssid gone');
    module.pins.drive(0, 1);
    await pass(20_000);
    // Nothing happens without a reset.
    expect(await run('get wlan.ssid')).toBe('0 gone');
    await module.reboot();
    logged();
    await pass(9_999);
    expect(await run('get wlan.ssid')).toBe('0 gone');
    await pass(1);
    expect(await run('get wlan.ssid')).toBe('0 ');
    expect(logged()[0]).toBe('Rebooting');
    await pass(30_000);
    expect(logged()).toEqual([]);
    module.pins.drive(0, 0);
    module.pins.drive(0, 1);
    await module.reboot();
    logged();
    await pass(10_000);
    expect(logged()[0]).toBe('Rebooting');
  });

  test('does nothing when it is released before', async () => {
    const { clock, module, pass, run } = await setUp('wlan.ssid kept');
    module.pins.drive(0, {
      steps: [
        { level: 1, ms: 9_000 },
        { level: 0, ms: 10 },
        { level: 1, ms: 1 },
      ],
    });
    await module.reboot();
    await pass(60_000);
    expect(await run('get wlan.ssid')).toBe('0 kept');
    await module.close();
    expect(clock.pending).toBe(0);
  });
});

// MOD-VAR-setup.gpio.cmd, MOD-VAR-setup.gpio.control_gpio, MOD-VAR-setup.gpio.mode
describe('the setup pin', () => {
  const command = 'setup.gpio.cmd get wlan.mac';

  test('runs its command when it is held for 3 s from a reset', async () => {
    const { logged, module, pass } = await setUp('setup.gpio.control_gpio 5', command);
    module.pins.drive(5, 1);
    await pass(5_000);
    await module.reboot();
    logged();
    await pass(2_999);
    expect(logged()).toEqual([]);
    await pass(1);
    expect(logged()).toEqual([module.identity.mac]);
    await module.reboot();
    await pass(1_000);
    module.pins.drive(5, 0);
    logged();
    await pass(5_000);
    expect(logged()).toEqual([]);
  });

  test('runs its command whenever it is asserted in mode runtime', async () => {
    const { logged, module, pass, run } = await setUp('setup.gpio.control_gpio 5', 'setup.gpio.mode runtime', command);
    logged();
    for (const level of [1, 1, 0, 1, null, 0] as const) module.pins.drive(5, level);
    await pass(0);
    expect(logged()).toEqual([module.identity.mac, module.identity.mac]);
    await run('set setup.gpio.control_gpio -1');
    module.pins.drive(5, 1);
    await pass(0);
    expect(logged()).toEqual([]);
  });
});

test('roles watch their pins and drive them', async () => {
  const { module, run } = await moduleRig();
  const { pinRoles, pins } = module;
  const logged: boolean[] = [];
  expect(pinRoles.isAsserted('bus.stream.cmd_gpio')).toBe(false);
  pinRoles.watch('bus.stream.cmd_gpio', () => logged.push(true))();
  await run('set bus.stream.cmd_gpio 6');
  const stop = pinRoles.watch('bus.stream.cmd_gpio', (asserted) => logged.push(asserted));
  for (const level of [1, 0, null, 1] as const) pins.drive(6, level);
  expect(pinRoles.isAsserted('bus.stream.cmd_gpio')).toBe(true);
  await run('gdi 6 none');
  expect(pinRoles.isAsserted('bus.stream.cmd_gpio')).toBe(false);
  stop();
  pins.drive(6, 0);
  expect(logged).toEqual([true, false, true]);
  pinRoles.put('tcp.server.connected_gpio', 1);
  await run('set tcp.server.connected_gpio 7');
  pinRoles.put('tcp.server.connected_gpio', 1);
  expect(levels(module, 7)).toEqual([1]);
});
