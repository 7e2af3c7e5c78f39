import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { defaultModel } from './model/model.ts';
import { loadPersonality } from './personality/personality.ts';
import { moduleRig } from './testing/module-rig.ts';

const banner = 'Moorage-2.2.0.12, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3';

describe('boot', () => {
  // Spec: MOD-EVENT-boot, MOD-EVENT-ready, MOD-CMD-version.
  test('prints the version line and [Ready]', async () => {
    const { logged, run } = await moduleRig();
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('version')).toBe(`0 ${banner}`);
    expect(await run('get system.version')).toBe(`0 ${banner}`);
  });

  test('joins by itself when it is set to, after [Ready]', async () => {
    const store = new MemoryStore();
    const { run } = await moduleRig({ store });
    for (const line of ['set wlan.ssid harbour', 'set wlan.passkey moorings', 'set wlan.auto_join.enabled 1', 'save']) {
      await run(line);
    }
    const { logged, pass, run: ask } = await moduleRig({ store });
    await pass(1000);
    expect(logged()).toEqual([
      banner,
      '[Ready]',
      '[Associating to harbour]',
      'Security type from probe: WPA2-AES',
      'Obtaining IPv4 address via DHCP',
      'IPv4 address: 10.5.6.108',
      '[Associated]',
    ]);
    expect(await ask('get network.status')).toBe('0 2');
    expect(await ask('get wlan.channel')).toBe('0 6');
    expect(await ask('get wlan.info')).toBe(
      '0 SSID: harbour\r\nBSSID: 02:6D:6F:00:00:06\r\nChannel: 6\r\nSecurity: WPA2-AES\r\nRSSI: -47\r\nRate: 72.2\r\nMax rate: 72.2',
    );
  });

  test('takes the time that the personality says, and ends when the module is closed meanwhile', async () => {
    const personality = loadPersonality('{"timings":{"bootMs":2000}}');
    if (!personality.ok) throw new Error(personality.error);
    const { clock, logged, module, run } = await moduleRig({ personality: personality.value });
    logged();
    await run('reboot');
    await clock.advance(1999);
    expect(logged()).toEqual([]);
    await clock.advance(1);
    expect(logged()).toEqual([banner, '[Ready]']);
    await run('reboot');
    await clock.advance(1000);
    await module.close();
    await clock.advance(5000);
    expect(logged()).toEqual([]);
    await expect(module.boot()).rejects.toThrow('The module has been closed');
  });
});

describe('variables that show the board', () => {
  test.each([
    ['MOD-VAR-wlan.mac', 'get wl m', '7A:1C:90:53:2E:E7'],
    ['MOD-VAR-system.uuid', 'get sy u', '4D4F4F5210BB27B0D8DA168A1A4C7795C7AE1BA8'],
    ['MOD-VAR-system.version', 'get sy v', banner],
    ['MOD-VAR-system.build_number', 'get sy n', '16eee81'],
    ['MOD-VAR-time.uptime', 'get ti u', '3'],
    ['MOD-VAR-time.last_set', 'get ti l ms', '-1'],
    ['MOD-VAR-network.status', 'get network.status', '2'],
    ['MOD-VAR-network.ip', 'get ne i', '10.1.1.9'],
    ['MOD-VAR-network.netmask', 'get ne n', '255.255.0.0'],
    ['MOD-VAR-network.gateway', 'get ne g', '10.1.0.1'],
    ['MOD-VAR-network.dns', 'get network.dns', '10.1.0.2'],
    ['MOD-VAR-wlan.join.result', 'get wl j r', '1'],
    ['MOD-VAR-wlan.channel', 'get wlan.channel', '1'],
    [
      'MOD-VAR-softap.info',
      'get so i',
      'SSID: Buoy-2EE7\r\nBSSID: 7A:1C:90:53:2E:E7\r\nChannel: 1\r\nSecurity: Open\r\nClients: 0',
    ],
  ])('%s', async (_, line, expected) => {
    const store = new MemoryStore();
    const before = await moduleRig({ store });
    // MOD-VAR-static.ip, MOD-VAR-static.netmask, MOD-VAR-static.gateway and MOD-VAR-static.dns act with
    // MOD-VAR-network.dhcp.enabled off.
    for (const setting of [
      'wlan.ssid harbour-open',
      'wlan.auto_join.enabled 1',
      'network.dhcp.enabled 0',
      'static.ip 10.1.1.9',
      'static.netmask 255.255.0.0',
      'static.gateway 10.1.0.1',
      'static.dns 10.1.0.2',
      'softap.auto_start 1',
      'softap.ssid Buoy-#',
    ]) {
      expect(await before.run(`set ${setting}`)).toBe('0 Set OK');
    }
    await before.run('save');
    const { pass, run } = await moduleRig({ store });
    await pass(3500);
    expect(await run(line)).toBe(`0 ${expected}`);
  });
});

// MOD-VAR-system.usage, MOD-VAR-system.memory.usage
test('the load of the module is that of its memory, which a file more is seen in', async () => {
  const { run } = await moduleRig();
  const memory = async (): Promise<number> => Number((await run('get system.memory.usage')).slice(2));
  const before = await memory();
  expect(await run('get system.usage')).toBe(`0 cpu:0,mem:${before}`);
  for (let file = 0; file < 40; file++) await run(`fcr f${file} 1`, 'x');
  const after = await memory();
  expect(after).toBeGreaterThan(before);
  expect(await run('get system.usage')).toBe(`0 cpu:0,mem:${after}`);
});

describe('reboot', () => {
  // Spec: MOD-CMD-reboot, MOD-EVENT-disassociated.
  test('prints its lines in order and loses what is not saved', async () => {
    const { logged, module, pass, run } = await moduleRig();
    await run('set wlan.ssid harbour-open');
    await run('network_up');
    await pass(1000);
    await run('set time.rtc 1700000000');
    await run('fcr -o half.txt 10');
    logged();
    expect(await run('reboot')).toBe('0 Rebooting');
    await pass(0);
    expect(logged()).toEqual(['[2023-11-14 | 22:13:20: Disassociated]', banner, '[Ready]']);
    expect(await run('get wlan.ssid')).toBe('0 ');
    expect(await run('get time.last_set')).toBe('0 -1');
    expect(await run('get network.status')).toBe('0 0');
    expect(module.streams.list()).toEqual([]);
    expect(await run('file_stat half.txt')).toBe('1 Command failed');
  });

  test('takes no arguments', async () => {
    expect(await (await moduleRig()).run('reboot now')).toBe('5 Too many arguments');
    expect(await (await moduleRig()).run('version 1')).toBe('5 Too many arguments');
  });
});

describe('factory reset', () => {
  // Spec: MOD-CMD-factory_reset, MOD-OPT-factory_reset-mac.
  test('brings the defaults, erases the saved copy, keeps the files, and reboots', async () => {
    const store = new MemoryStore();
    const { logged, module, pass, run } = await moduleRig({ store });
    await run('set wlan.ssid gone');
    await run('save');
    await run('fcr a.txt 5', 'hello');
    logged();
    expect(await run(`factory_reset ${module.identity.mac.toLowerCase()}`)).toBe('0 Success');
    // The host still gets its answer in its own mode; the reboot brings the defaults.
    expect(await run('get wlan.ssid')).toBe('0 gone');
    await pass(0);
    expect(logged()).toEqual(['Rebooting', banner, '[Ready]']);
    expect(await run('get wlan.ssid')).toBe('0 ');
    expect(await run('fst a.txt')).toMatch(/^0 5,/);
    const again = await moduleRig({ store: store.survivor() });
    expect(await again.run('get wlan.ssid')).toBe('0 ');
  });

  test.each([
    ['factory_reset', '4 Too few arguments'],
    ['fac 00:00:00:00:00:00', '7 Invalid argument'],
    ['fac x', '7 Invalid argument'],
  ])('%s answers %j and changes nothing', async (line, expected) => {
    const { logged, pass, run } = await moduleRig();
    await run('set wlan.ssid kept');
    logged();
    expect(await run(line)).toBe(expected);
    await pass(0);
    expect(logged()).toEqual([]);
    expect(await run('get wlan.ssid')).toBe('0 kept');
  });

  test('of the board itself does the same', async () => {
    const { logged, module, run } = await moduleRig();
    await run('set wlan.ssid gone');
    logged();
    await module.factoryReset();
    expect(logged()).toEqual(['Rebooting', banner, '[Ready]']);
    expect(await run('get wlan.ssid')).toBe('0 ');
  });
});

describe('a module', () => {
  test('has the identity of its seed, and keeps it with its store', async () => {
    const store = new MemoryStore();
    const first = await moduleRig({ store });
    const same = await moduleRig();
    const other = await moduleRig({ seed: 2 });
    const kept = await moduleRig({ store, seed: 2 });
    expect(same.module.identity).toEqual(first.module.identity);
    expect(other.module.identity).not.toEqual(first.module.identity);
    expect(kept.module.identity).toEqual(first.module.identity);
    expect(await first.run('get system.uuid')).toMatch(/^0 4D4F4F52[0-9A-F]{32}$/);
  });

  // MOD-LIMIT-history
  test('has a history as long as its model says', async () => {
    const limits = { ...defaultModel.limits, history: 3 };
    const { module } = await moduleRig({ model: { ...defaultModel, limits } });
    expect(module.sessionLimits.historyLines).toBe(3);
  });

  test('finds its service where its options say, until the user says otherwise', async () => {
    const service = { host: '127.0.0.1', port: 8443 };
    const { run } = await moduleRig({ service });
    expect(await run('get ota')).toBe('0 ota.bundle_id: \r\nota.consent: yes\r\nota.host: 127.0.0.1\r\nota.port: 8443');
    await run('set ota.port 443');
    expect(await run('get ota.port')).toBe('0 443');
    await run('load');
    expect(await run('get ota.port')).toBe('0 8443');
  });

  test('leaves the factory with the files of its model', async () => {
    const file = { name: 'ca.pem', area: 'e', type: 3, flags: 0, version: '1.2', content: 'aGVsbG8=' } as const;
    const model = { ...defaultModel, files: [file], limits: { ...defaultModel.limits, streams: 1 } };
    const { run } = await moduleRig({ model });
    expect(await run('fst ca.pem')).toMatch(/^0 5,[0-9A-F]{4},1\.2\.0\.0,e,03,0001$/);
    expect(await run('fop ca.pem')).toBe('0 0');
    expect(await run('fop ca.pem')).toBe('1 Command failed');
  });

  test('cannot be made with aliases for commands that do not exist', async () => {
    const personality = loadPersonality('{"commandAliases":{"bogus":["x"]}}');
    if (!personality.ok) throw new Error(personality.error);
    await expect(moduleRig({ personality: personality.value })).rejects.toThrow(/"bogus", which is no command/);
  });

  // MOD-VAR-time.zone, MOD-VAR-system.cmd.timestamp
  test('says what a stream does, and the notices follow system.msg', async () => {
    const { logged, run } = await moduleRig();
    await run('fcr a.txt 5', 'hello');
    await run('set system.msg stream_closed [@tGone @h]');
    await run('fop a.txt');
    logged();
    expect(await run('close 0')).toBe('0 Success');
    expect(logged()).toEqual(['Closing: 0', '[Gone 0]']);
    await run('set time.rtc 1700000000');
    await run('set time.zone -4:30');
    await run('fop a.txt');
    await run('close 0');
    expect(logged().at(-1)).toBe('[2023-11-14 | 17:43:20: Gone 0]');
    await run('set system.cmd.timestamp none');
    await run('fop a.txt');
    await run('close 0');
    expect(logged().at(-1)).toBe('[Gone 0]');
  });

  test('without a change saves no settings', async () => {
    const store = new MemoryStore();
    await moduleRig({ store });
    expect(await store.names()).not.toContain('settings');
  });
});
