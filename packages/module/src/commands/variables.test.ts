import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { activeRig } from '../testing/cloud-rig.ts';
import { moduleRig } from '../testing/module-rig.ts';

describe('get and set', () => {
  // Spec: MOD-CMD-get, MOD-CMD-set, MOD-SET-codes, MOD-LINE-order, MOD-LINE-set-ok, MOD-OPT-get-variable, MOD-OPT-get-group.
  test.each([
    ['get wlan.ssid', '0 '],
    ['get wl m', '0 02:00:00:00:00:00'],
    ['get stream', '0 stream.auto_close: 1'],
    ['get', '4 Too few arguments'],
    ['get bogus', '6 Unknown variable'],
    ['get wlan.ssid x', '5 Too many arguments'],
    ['get uart.baud 2', '7 Invalid argument'],
    ['set wlan.ssid "my net"', '0 Set OK'],
    ['set wl s my', '0 Set OK'],
    ['set wlan.ssid ""', '0 Set OK'],
    ['set', '4 Too few arguments'],
    ['set wlan.ssid', '4 Too few arguments'],
    ['set bogus 1', '6 Unknown variable'],
    ['set wlan 1', '6 Unknown variable'],
    ['set wlan.tx_power 99', '7 Invalid argument'],
    ['set wlan.mac 02:00:00:00:00:00', '7 Invalid argument'],
    ['set bus.mode command x', '5 Too many arguments'],
  ])('%s answers %j', async (line, expected) => {
    const { module, run } = await moduleRig();
    expect(await run(line)).toBe(expected.replace('02:00:00:00:00:00', module.identity.mac));
  });

  test('a pin that is taken is named in the log before the failure', async () => {
    const { logged, run } = await moduleRig();
    await run('set tcp.server.data_gpio 3');
    logged();
    expect(await run('set system.cmd.gpio 3')).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO 3 in use by tcp.server.data_gpio']);
  });

  test('a locked variable is named in the log before the failure', async () => {
    const { run } = await activeRig();
    expect(await run('set cloud.capabilities a.json')).toEqual([
      'cloud.capabilities cannot be changed now',
      '1 Command failed',
    ]);
  });

  // Spec: MOD-LINE-buffered, MOD-VAR-system.cmd.buffered.
  test('a group is kept in a stream while output is buffered, a value is not', async () => {
    const { run } = await moduleRig();
    await run('set system.cmd.buffered 1');
    expect(await run('get wlan.tx_power')).toBe('0 17');
    expect(await run('get stream')).toBe('0 0,22');
    expect(await run('read 0 100')).toBe('0 stream.auto_close: 1\r\n');
  });
});

describe('save and load', () => {
  // Spec: MOD-CMD-save, MOD-CMD-load.
  test('what is saved survives the module, what is not is lost', async () => {
    const store = new MemoryStore();
    const first = await moduleRig({ store });
    await first.run('set wlan.ssid kept');
    expect(await first.run('save')).toBe('0 Success');
    await first.run('set wlan.ssid lost');
    const second = await moduleRig({ store: store.survivor() });
    expect(await second.run('get wlan.ssid')).toBe('0 kept');
    expect(await first.run('load')).toBe('0 Success');
    expect(await first.run('get wlan.ssid')).toBe('0 kept');
  });

  test('settings go to a file and come back from it', async () => {
    const { logged, run } = await moduleRig();
    await run('set wlan.ssid filed');
    expect(await run('save my.cfg')).toBe('0 Success');
    await run('set wlan.ssid other');
    expect(await run('save my.cfg')).toBe('0 Success');
    await run('set wlan.ssid ""');
    expect(await run('load my.cfg')).toBe('0 Success');
    expect(await run('get wlan.ssid')).toBe('0 other');
    // The saved copy is another matter.
    expect(await run('load')).toBe('0 Success');
    expect(await run('get wlan.ssid')).toBe('0 ');
    logged();
  });

  test('a file that is missing or no settings fails with the reason in the log', async () => {
    const { logged, run } = await moduleRig();
    await run('fcr page.html 5', 'hello');
    await run(`fcr long.bin 70000`, 'x'.repeat(70_000));
    logged();
    expect(await run('load nothing.cfg')).toBe('1 Command failed');
    expect(await run('load page.html')).toBe('1 Command failed');
    expect(await run('load long.bin')).toBe('1 Command failed');
    expect(logged()).toEqual(['File not found', 'Saved settings are damaged and were dropped', 'File too large']);
    // Only what save has written is replaced.
    expect(await run('save page.html')).toBe('1 Command failed');
    expect(await run('save long.bin')).toBe('1 Command failed');
    expect(await run('save main_app.exe')).toBe('1 Command failed');
    expect(logged()).toEqual(['File exists', 'File exists', 'File exists']);
    expect(await run('fst page.html')).toMatch(/^0 5,/);
    expect(await run('save caf\u00e9.cfg')).toBe('7 Invalid argument');
    expect(await run('save a b')).toBe('5 Too many arguments');
  });

  test('damaged values in the saved copy are dropped with a line each', async () => {
    const store = new MemoryStore();
    const writer = await store.create('settings');
    await writer.append(Buffer.from('{"format":1,"values":{"wlan.ssid":"kept","wlan.tx_power":"99","bogus":"1"}}'));
    await writer.publish();
    const { logged, run } = await moduleRig({ store });
    const dropped = ['wlan.tx_power', 'bogus'].map((name) => `Saved value of ${name} is not valid and was dropped`);
    expect(logged().slice(0, 2)).toEqual(dropped);
    expect(await run('get wlan.ssid')).toBe('0 kept');
    await run('load');
    expect(logged()).toEqual(dropped);
  });

  test('save takes the time that the personality says', async () => {
    const personality = loadPersonality('{"timings":{"saveMs":900}}');
    if (!personality.ok) throw new Error(personality.error);
    const { clock, module } = await moduleRig({ personality: personality.value });
    let saved = false;
    const saving = module.execute('save').then(() => {
      saved = true;
    });
    await clock.advance(899);
    expect(saved).toBe(false);
    await clock.advance(1);
    await saving;
    expect(saved).toBe(true);
  });
});
