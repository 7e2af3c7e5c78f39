import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { forcedFault } from './device/faults.ts';
import { defaultModel } from './model/model.ts';
import { moduleRig } from './testing/module-rig.ts';

const banner = 'Moorage-2.2.0.12, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3';
const entered = '*** Max faults exceeded. Entering Safe Mode.';
const row = (index: number, name: string): string => `${index}: ${name}, uhandle:00 bhandle:00`;

const twoFaults = { ...defaultModel, limits: { ...defaultModel.limits, faults: 2 } };

async function inSafeMode() {
  const rig = await moduleRig({ model: twoFaults });
  await rig.module.fault('Watchdog Reset');
  await rig.module.fault('Bus Fault');
  return rig;
}

describe('a fault', () => {
  // MOD-CMD-faults_print
  test('is kept, and resets the module without a word of what ends', async () => {
    const store = new MemoryStore();
    const { logged, module, pass, run } = await moduleRig({ store });
    await run('set wlan.ssid harbour-open');
    await run('network_up');
    await pass(1000);
    await run('fcr -o half.txt 10');
    logged();
    expect(await run('faults_print')).toBe('0 None');
    await module.fault('Hard Fault Exception');
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('faup')).toBe(`0 ${row(0, 'Hard Fault Exception')}`);
    expect(await run('get wlan.ssid')).toBe('0 ');
    expect(await run('get network.status')).toBe('0 0');
    expect(module.streams.list()).toEqual([]);
    const again = await moduleRig({ store: store.survivor() });
    expect(await again.run('faup')).toBe(`0 ${row(0, 'Hard Fault Exception')}`);
  });

  test('overtakes a boot that is on its way: the module starts once', async () => {
    const { logged, module } = await moduleRig();
    logged();
    await Promise.all([module.fault('First Fault'), module.fault('Second Fault')]);
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(module.power.state).toBe('on');
  });

  test('cannot have a name of several lines, nor come while the module sleeps or is off', async () => {
    const { logged, module, run } = await moduleRig();
    logged();
    await expect(module.fault('a\nb')).rejects.toThrow('printable');
    expect([logged(), await run('faup')]).toEqual([[], '0 None']);
    await module.sleep();
    await expect(module.fault('Bus Fault')).rejects.toThrow('sleeps');
    await module.close();
    await expect(module.reset()).rejects.toThrow('The module has been closed');
  });
});

describe('safe mode', () => {
  // MOD-STATE-3, MOD-LIMIT-faults, MOD-VAR-system.safemode
  test('comes with the boot after the last fault that the model allows', async () => {
    const { logged, module, run } = await moduleRig({ model: twoFaults });
    logged();
    await module.fault('Watchdog Reset');
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('get system.safemode')).toBe('0 0');
    await module.fault('Bus Fault');
    expect(logged()).toEqual([banner, entered]);
    expect(await run('get sy s')).toBe('0 1');
    await module.fault('Usage Fault');
    expect(await run('faup')).toBe(`0 ${row(0, 'Watchdog Reset')}\r\n${row(1, 'Bus Fault')}`);
  });

  test('takes eight faults on the default board', async () => {
    const { module } = await moduleRig();
    for (let count = 1; count < 8; count++) await module.fault('Bus Fault');
    expect(module.safeMode).toBe(false);
    await module.fault('Bus Fault');
    expect(module.safeMode).toBe(true);
  });

  test('leaves few commands, and help shows no others', async () => {
    const { run } = await inSafeMode();
    expect(
      (await run('help commands'))
        .slice(2)
        .split('\r\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual([
      'exit',
      'factory_reset',
      'faults_print',
      'faults_reset',
      'format_flash',
      'get',
      'help',
      'ls',
      'network_down',
      'network_restart',
      'network_up',
      'ota',
      'reboot',
      'save',
      'set',
      'version',
    ]);
    for (const line of ['file_create x 1', 'sleep', 'setup status', 'load', 'list']) {
      expect(await run(line)).toBe('3 Unknown command');
    }
    expect(await run('help sleep')).toBe('6 Unknown variable');
    expect(await run('set wlan.ssid x')).toBe('0 Set OK');
  });

  test('does nothing by itself: no join, no setup command, no sleep', async () => {
    const { logged, module, pass, run } = await moduleRig({ model: twoFaults });
    for (const line of ['wlan.ssid harbour-open', 'wlan.auto_join.enabled 1', 'system.gotosleep.timeout 5']) {
      await run(`set ${line}`);
    }
    await run('save');
    await module.fault('Bus Fault');
    await module.fault('Bus Fault');
    logged();
    await pass(60_000);
    expect(logged()).toEqual([]);
    expect(module.power.state).toBe('on');
  });

  // MOD-CMD-faults_reset
  test('is left by faults_reset and a reboot', async () => {
    const { logged, pass, run } = await inSafeMode();
    expect(await run('faur')).toBe('0 Success');
    expect(await run('faup')).toBe('0 None');
    expect(await run('get system.safemode')).toBe('0 1');
    logged();
    expect(await run('reboot')).toBe('0 Rebooting');
    await pass(0);
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('get system.safemode')).toBe('0 0');
  });

  test('returns with a reboot alone, and a factory reset keeps the faults', async () => {
    const { logged, module, pass, run } = await inSafeMode();
    logged();
    await run('reboot');
    await pass(0);
    expect(logged()).toEqual([banner, entered]);
    await run(`fac ${module.identity.mac}`);
    await pass(0);
    expect(logged()).toEqual(['Rebooting', banner, entered]);
  });
});

// MOD-VAR-system.boot.app
describe('the boot loader', () => {
  test('starts the recovery program or the main one, as commands say', async () => {
    const { logged, pass, run } = await moduleRig();
    expect(await run('get system.boot.app')).toBe('0 main_app.exe');
    await run('set system.boot.app upgrade_app.exe');
    expect(await run('get system.safemode')).toBe('0 0');
    await run('save');
    logged();
    await run('reboot');
    await pass(0);
    // No fault has led here.
    expect(logged()).toEqual([banner]);
    expect(await run('faup')).toBe('0 None');
    expect(await run('get system.safemode')).toBe('0 1');
    expect(await run('list')).toBe('3 Unknown command');
    await run('set system.boot.app main_app.exe');
    await run('save');
    await run('reboot');
    await pass(0);
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('get system.safemode')).toBe('0 0');
  });

  test.each(['missing.exe', 'wifi_fw.bin', 'page.html', '""'])('starts the main program for %s', async (name) => {
    const { logged, pass, run } = await moduleRig();
    await run('fcr page.html 5', 'hello');
    expect(await run(`set system.boot.app ${name}`)).toBe('0 Set OK');
    await run('save');
    logged();
    await run('reboot');
    await pass(0);
    expect(logged()).toEqual([banner, '[Ready]']);
  });
});

describe('force_safemode', () => {
  // MOD-CMD-force_safemode, MOD-OPT-force_safemode-mac, MOD-STATE-4
  test('fills the list and reboots into safe mode', async () => {
    const { logged, module, pass, run } = await moduleRig({ model: twoFaults });
    await module.fault('Bus Fault');
    logged();
    expect(await run(`force_safemode ${module.identity.mac.toLowerCase()}`)).toBe('0 Forcing safemode...');
    await pass(0);
    expect(logged()).toEqual([banner, entered]);
    expect(await run('faup')).toBe(`0 ${row(0, 'Bus Fault')}\r\n${row(1, forcedFault)}`);
  });

  test.each([
    ['force_safemode', '4 Too few arguments'],
    ['force_safemode 00:00:00:00:00:00', '7 Invalid argument'],
    ['force_safemode a b', '5 Too many arguments'],
  ])('%s answers %j and changes nothing', async (line, answer) => {
    const { logged, pass, run } = await moduleRig();
    logged();
    expect(await run(line)).toBe(answer);
    await pass(0);
    expect([logged(), await run('faup')]).toEqual([[], '0 None']);
  });

  test('is in no list', async () => {
    const { run } = await moduleRig();
    expect(await run('help all')).not.toContain('force_safemode');
    expect(await run('help force_safemode')).toBe('6 Unknown variable');
  });
});
