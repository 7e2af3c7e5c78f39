import { describe, expect, test } from 'vitest';
import { moduleRig } from './testing/module-rig.ts';
import { sessionRig } from './testing/session-rig.ts';

const banner = 'Moorage-2.2.0.12, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3';

async function asleep(...settings: string[]) {
  const rig = await moduleRig();
  await rig.run('set wlan.ssid harbour-open');
  await rig.run('network_up');
  await rig.pass(1000);
  for (const setting of settings) expect(await rig.run(`set ${setting}`)).toBe('0 Set OK');
  rig.logged();
  expect(await rig.run('sleep')).toBe('0 ');
  return rig;
}

describe('sleep', () => {
  // MOD-CMD-sleep, MOD-VAR-system.wakeup.timeout
  test('ends after its timeout with a boot; the network is gone and nothing more is said', async () => {
    const { logged, module, pass, run } = await asleep('system.wakeup.timeout 60');
    expect(logged()).toEqual(['[Sleep]']);
    expect([module.power.state, module.streams.list(), module.wlan.status]).toEqual(['asleep', [], 0]);
    await pass(59_999);
    expect(logged()).toEqual([]);
    await pass(1);
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('get wlan.ssid')).toBe('0 ');
  });

  test('keeps the time, and the uptime begins anew', async () => {
    const { logged, pass, run } = await asleep('system.wakeup.timeout 60', 'time.rtc 1700000000');
    expect(logged()).toEqual(['[2023-11-14 | 22:13:20: Sleep]']);
    await pass(65_000);
    expect(await run('get time.rtc')).toBe('0 1700000065');
    expect(await run('get time.last_set')).toBe('0 65');
    expect(await run('get time.uptime')).toBe('0 5');
  });

  // MOD-VAR-system.wakeup.events
  test('ends when one of its pins changes', async () => {
    const { logged, module, pass } = await asleep('system.wakeup.events gpio3,gpio22');
    logged();
    module.pins.drive(4, 1);
    await pass(1000);
    expect(logged()).toEqual([]);
    module.pins.drive(22, 1);
    await pass(0);
    expect(logged()).toEqual([banner, '[Ready]']);
    module.pins.drive(22, 0);
    await pass(1000);
    expect(logged()).toEqual([]);
  });

  // MOD-VAR-gpio.sleep
  test('gives the pins their states, whatever has them awake, and the boot takes these back', async () => {
    const states = ['input_highz', 'input_pullup', 'input_pulldown', 'output_low', 'output_high', 'default'];
    const { module, pass } = await asleep(
      ...states.map((state, pin) => `gpio.sleep ${pin + 1} ${state}`),
      'system.wakeup.timeout 60',
      'system.wakeup.events gpio3',
      'wlan.network.up_gpio 5',
    );
    const levels = () =>
      [1, 2, 3, 4, 5, 6].map((pin) => {
        const signal = module.pins.signal(pin);
        return 'level' in signal ? signal.level : undefined;
      });
    expect(levels()).toEqual([null, 1, 0, 0, 1, null]);
    // An output is stronger than what is connected to it, an input is not.
    for (const pin of [1, 2, 4, 5]) module.pins.drive(pin, 0);
    expect(levels()).toEqual([0, 0, 0, 0, 1, null]);
    expect(module.power.state).toBe('asleep');
    module.pins.drive(3, 1);
    await pass(0);
    expect(module.power.state).toBe('on');
    expect(levels()).toEqual([0, 0, 1, 0, 0, null]);
  });

  test('without a source lasts until a reset', async () => {
    const { logged, module, pass } = await asleep();
    logged();
    await pass(1e9);
    expect(logged()).toEqual([]);
    await module.reset();
    expect(logged()).toEqual([banner, '[Ready]']);
    await pass(1e9);
    expect(logged()).toEqual([]);
  });

  test('is over when the module is closed: nothing wakes it', async () => {
    const { clock, logged, module, pass } = await asleep('system.wakeup.timeout 5');
    logged();
    await module.close();
    await pass(10_000);
    expect([logged(), clock.pending]).toEqual([[], 0]);
  });
});

describe('system.gotosleep.timeout', () => {
  // MOD-VAR-system.gotosleep.timeout
  test('lets the module sleep so long after it is set, and after each boot', async () => {
    const { logged, pass, run } = await moduleRig();
    await run('set system.gotosleep.timeout 10');
    await run('set system.wakeup.timeout 20');
    await run('save');
    await run('set system.gotosleep.timeout 30');
    logged();
    await pass(29_999);
    expect(logged()).toEqual([]);
    await pass(1);
    expect(logged()).toEqual(['[Sleep]']);
    await pass(20_000);
    expect(logged()).toEqual([banner, '[Ready]']);
    await pass(10_000);
    expect(logged()).toEqual(['[Sleep]']);
  });

  test('of 0 is never, and a reboot begins it anew', async () => {
    const { clock, logged, pass, run } = await moduleRig();
    await run('set system.gotosleep.timeout 10');
    await run('set system.gotosleep.timeout 0');
    expect(clock.pending).toBe(0);
    await run('set system.gotosleep.timeout 10');
    await run('reboot');
    await pass(0);
    logged();
    await pass(60_000);
    expect(logged()).toEqual([]);
  });
});

describe('a session of a board that goes down', () => {
  test('answers nothing to sleep, loses what comes meanwhile, and prompts when the board is up', async () => {
    const { clock, module, printed, send, settle } = await sessionRig({ machine: false });
    send('set system.wakeup.timeout 10\r');
    printed();
    send('sleep\rversion\r');
    await settle();
    expect(printed()).toBe('sleep\r\n[Sleep]\r\n');
    send('version\r');
    await clock.advance(10_000);
    expect(printed()).toBe(`${module.versionLine}\r\n[Ready]\r\n> `);
    send('get system.safemode\r');
    expect(printed()).toBe('get system.safemode\r\n0\r\n> ');
  });

  test('gives up the data that it was taking, and the rest of it is no command', async () => {
    const { events, module, printed, send, settle } = await sessionRig();
    send('data\nab');
    await module.reboot();
    await settle();
    expect(events.filter((event) => event !== 'ready')).toEqual(['write ab', 'abort']);
    printed();
    send('get system.safemode\r');
    await settle();
    expect(printed()).toContain('0\r\n');
  });

  test('gives up data that its sink is still taking', async () => {
    const { events, gate, module, printed, send, settle } = await sessionRig();
    send('slowdata\nabcd');
    await module.reset();
    printed();
    gate.resolve();
    await settle();
    expect(events).toContain('abort');
    expect(printed()).toBe('');
  });

  test('prints no answer of a command that the reset has overtaken', async () => {
    const { gate, module, printed, send, settle } = await sessionRig();
    send('slow\n');
    await module.fault('Watchdog Reset');
    printed();
    gate.resolve();
    await settle();
    expect(printed()).toBe('');
    send('get system.safemode\r\n');
    expect(printed()).toContain('0\r\n');
  });

  test('does not run a command that was waiting for its turn', async () => {
    const { connect, gate, module, send, settle } = await sessionRig();
    send('slow\n');
    connect().receive(Buffer.from('set wlan.ssid late\n'));
    await module.reset();
    gate.resolve();
    await settle();
    expect(module.variables.get('wlan.ssid')).toBe('');
  });

  test('forgets the line that is half typed', async () => {
    const { module, printed, send } = await sessionRig({ machine: false });
    send('versi');
    await module.reset();
    printed();
    send('get system.safemode\r');
    expect(printed()).toContain('0\r\n> ');
  });
});
