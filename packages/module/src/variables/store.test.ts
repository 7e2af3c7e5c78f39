import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { testSources, testStore } from '../testing/variable-rig.ts';
import type { VariableStore } from './store.ts';

const value = (text: string) => ({ ok: true, value: { kind: 'value', text } });
const refused = (error: string) => ({ ok: false, error: { error } });

function rows(store: VariableStore, line: string): readonly string[] {
  const answer = store.query(line.split(' '));
  if (!answer.ok || answer.value.kind !== 'lines') throw new Error(`No lines for '${line}'`);
  return answer.value.rows;
}

function set(store: VariableStore, ...lines: readonly string[]): void {
  for (const line of lines) expect([line, store.assign(line.split(' '))]).toMatchObject([line, { ok: true }]);
}

describe('get', () => {
  // Spec: MOD-SET-output, MOD-SET-shortcut, MOD-CMD-get.
  test('one variable prints its value alone, by full name and by shortcut', () => {
    const { store } = testStore();
    set(store, 'wl s harbour');
    expect(store.query(['wlan.ssid'])).toEqual(value('harbour'));
    expect(store.query(['wl', 's'])).toEqual(value('harbour'));
    expect(store.query(['system.cmd.echo'])).toEqual(value('1'));
    expect(store.query(['wl', 's', 'c'])).toEqual(value('0x3FFF'));
  });

  test('an empty text prints an empty value', () => {
    const { store } = testStore();
    expect(store.query(['wlan.ssid'])).toEqual(value(''));
    expect(rows(store, 'wlan')).toContain('wlan.ssid: ');
  });

  test('a group prints full names in alphabetical order, whichever way it is called', () => {
    const { store } = testStore();
    const group = rows(store, 'tcp.client');
    expect(group).toEqual(group.toSorted());
    expect(group[0]).toBe('tcp.client.auto_interface: default');
    expect(rows(store, 'tc c')).toEqual(group);
    expect(rows(store, 'tc')).toHaveLength(21);
    expect(rows(store, 'tcp')).toEqual(rows(store, 'tc'));
  });

  test('all prints every variable, each table below its name', () => {
    const all = rows(testStore().store, 'all');
    expect(all).toContain('wlan.mac: 02:00:00:00:00:01');
    expect(all.slice(all.indexOf('gpio.usage:')).slice(0, 2)).toEqual(['gpio.usage:', '!  # Description']);
    expect(all).toContain('uart.baud 1: 115200');
  });

  test('the longest run of words names the variable', () => {
    const { store } = testStore();
    expect(store.query(['so', 's', 'i'])).toEqual(value('10.10.10.1'));
    expect(store.query(['so', 's'])).toEqual(value('Module-#'));
    expect(store.assign(['wl', 's', 'r', '5'])).toMatchObject({ ok: true });
    expect(store.query(['wlan.scan.retries'])).toEqual(value('5'));
    expect(store.query(['wlan.ssid'])).toEqual(value(''));
  });

  test('later names call the same variable and are not listed', () => {
    const { store } = testStore();
    expect(store.query(['wlan.network.status'])).toEqual(value('0'));
    set(store, 'wlan.static.ip 10.1.1.1');
    expect(store.query(['static.ip'])).toEqual(value('10.1.1.1'));
    expect(rows(store, 'all').filter((row) => row.startsWith('wlan.static'))).toEqual([]);
  });

  // Spec: MOD-SET-indexed, MOD-VAR-gpio.alias.
  test('an indexed variable prints one entry, or all', () => {
    const { store } = testStore();
    set(store, 'uart.baud 1 9600', 'gpio.alias 22 FrontDoor', 'gpio.alias 5 Bell');
    expect(store.query(['ua', 'b', '1'])).toEqual(value('9600'));
    expect(rows(store, 'uart.baud all')).toEqual(['uart.baud 0: 115200', 'uart.baud 1: 9600']);
    expect(rows(store, 'gp a all')).toEqual(['gpio.alias 5: Bell', 'gpio.alias 22: FrontDoor']);
    expect(store.query(['gpio.alias', '07'])).toEqual(value(''));
    set(store, 'gpio.alias 05 Gate');
    expect(rows(store, 'gpio.alias')).toEqual(['gpio.alias 5: Gate', 'gpio.alias 22: FrontDoor']);
    expect(store.assign(['gpio.alias', '5', ''])).toMatchObject({ ok: true });
    expect(rows(store, 'gpio.alias')).toEqual(['gpio.alias 22: FrontDoor']);
    set(store, 'cloud.solo.gpio 4 lamp');
    expect(rows(store, 'cl s g')).toEqual(['4,lamp']);
  });

  // Spec: MOD-VAR-time.rtc.
  test('the clock prints seconds, milliseconds and text', () => {
    const { store } = testStore();
    set(store, 'time.rtc 1395562387');
    expect(store.query(['ti', 'r'])).toEqual(value('1395562387'));
    expect(store.query(['time.rtc', 'ms'])).toEqual(value('1395562387000'));
    expect(store.query(['time.rtc', 'utc'])).toEqual(value('2014-03-23T08:13:07.000000Z'));
    expect(store.query(['ti', 'l'])).toEqual(value('-1'));
  });

  // Spec: MOD-VAR-gpio.usage.
  test('the table of pins names owners and aliases', () => {
    const sources = { ...testSources(), boardPins: { 13: 'UART1 RX' } };
    const { store } = testStore({ sources });
    set(store, 'gpio.init 0 in', 'system.indicator.gpio wlan 1', 'gpio.init 22 out 1', 'gpio.alias 22 FrontDoor');
    set(store, 'system.wakeup.events gpio7,gpio8');
    expect(rows(store, 'gp u')).toEqual([
      '!  # Description',
      '#  0 GPIO input_highz',
      '#  1 system.indicator.wlan',
      '#  7 system.wakeup.events',
      '#  8 system.wakeup.events',
      '# 13 UART1 RX',
      '# 22 GPIO output (FrontDoor)',
    ]);
    expect(store.assign(['tcp.server.data_gpio', '13'])).toMatchObject({
      error: { error: 'failed', owner: 'UART1 RX' },
    });
  });

  // Spec: MOD-SET-codes.
  test.each([
    [[], 'missing'],
    [['bogus'], 'unknown'],
    [['wlan.'], 'unknown'],
    [['wlan', 'bogus'], 'unknown'],
    [['WLAN.SSID'], 'unknown'],
    [['wl s'], 'unknown'],
    [['wlan.ssid', 'x'], 'too-many'],
    [['all', 'x'], 'too-many'],
    [['time.rtc', 'iso'], 'unknown'],
    [['time.rtc', 'ms', 'utc'], 'too-many'],
    [['uart.baud', '2'], 'invalid'],
    [['gpio.alias', '29'], 'invalid'],
    [['gpio.alias', '-1'], 'invalid'],
    [['uart.baud', '0', '1'], 'too-many'],
  ] as const)('%j is refused as %s', (words, error) => {
    expect(testStore().store.query(words)).toEqual(refused(error));
  });
});

describe('set', () => {
  test.each([
    [[], 'missing'],
    [['wlan.ssid'], 'missing'],
    [['wl', 's'], 'missing'],
    [['uart.baud', '0'], 'missing'],
    [['bogus', '1'], 'unknown'],
    [['wlan', '1'], 'unknown'],
    [['wlan.mac', '02:00:00:00:00:02'], 'invalid'],
    [['uart.baud', '2', '9600'], 'invalid'],
    [['system.msg', 'bogus', 'x'], 'invalid'],
    [['gpio.init', '29', 'in'], 'invalid'],
  ] as const)('%j is refused as %s', (words, error) => {
    expect(testStore().store.assign(words)).toEqual(refused(error));
  });

  test('a text takes the rest of the line', () => {
    const { store } = testStore();
    set(store, 'setup.gpio.cmd setup script a.script');
    expect(store.query(['se', 'g', 'c'])).toEqual(value('setup script a.script'));
  });

  // Spec: MOD-LINE-mode, MOD-VAR-system.cmd.mode, MOD-VAR-system.cmd.header_enabled, MOD-VAR-system.cmd.prompt_enabled.
  test('system.cmd.mode sets four others at once', () => {
    const { store } = testStore();
    set(store, 'sy c f machine');
    expect(store.get('system.cmd.echo')).toBe(false);
    expect(store.get('system.cmd.header_enabled')).toBe(true);
    expect(store.get('system.cmd.prompt_enabled')).toBe(false);
    expect(store.get('system.print_level')).toBe('0');
    set(store, 'system.cmd.mode human');
    expect(store.get('system.cmd.echo')).toBe(true);
    expect(store.get('system.print_level')).toBe('all');
    expect(store.export()).toBe('{"format":1,"values":{}}\n');
  });

  // Spec: MOD-VAR-cloud.capabilities.
  test('cloud.capabilities is locked while the device is activated', () => {
    let activated = false;
    const { store } = testStore({ sources: { ...testSources(), cloud: () => ({ activated }) } });
    set(store, 'cloud.capabilities a.json');
    activated = true;
    expect(store.assign(['cl', 'c', 'b.json'])).toEqual({
      ok: false,
      error: { error: 'failed', locked: 'cloud.capabilities' },
    });
    // The form of a value is checked before its moment.
    expect(store.assign(['cl', 'c', '\t'])).toEqual(refused('invalid'));
    expect(store.get('cloud.capabilities')).toBe('a.json');
    // Spec: MOD-VAR-cloud.status.
    expect(store.query(['gh', 't'])).toEqual(value('1'));
  });

  // Spec: MOD-SET-hidden, MOD-VAR-wlan.hide_passkey.
  test('a hidden passkey reads back empty until there is a new one', () => {
    const { store } = testStore();
    set(store, 'wlan.passkey password1', 'wlan.hide_passkey 1');
    expect(store.query(['wlan.passkey'])).toEqual(value(''));
    expect(rows(store, 'wlan')).toContain('wlan.passkey: ');
    expect(store.get('wlan.passkey')).toBe('password1');
    expect(store.assign(['wlan.hide_passkey', '0'])).toMatchObject(refused('failed'));
    expect(store.query(['wlan.passkey'])).toEqual(value(''));
    set(store, 'wlan.passkey password2');
    expect(store.query(['wlan.passkey'])).toEqual(value('password2'));
  });

  test('passwords are left out where a caller asks for that', () => {
    const { store } = testStore();
    set(store, 'http.server.password secret');
    const hidden = store.query(['all'], { hideSecrets: true });
    expect(JSON.stringify(hidden)).not.toContain('secret');
    expect(rows(store, 'all')).toContain('http.server.password: secret');
    for (const call of ['http.server.password', 'http.server', 'http'])
      expect(JSON.stringify(store.query([call], { hideSecrets: true }))).not.toContain('secret');
  });

  test('a pin has one owner at a time', () => {
    const { store } = testStore();
    set(store, 'tcp.server.data_gpio 3', 'tcp.server.data_gpio 3', 'gpio.init 4 in', 'gpio.init 4 out');
    expect(store.assign(['udp.server.data_gpio', '3'])).toEqual({
      ok: false,
      error: { error: 'failed', pin: 3, owner: 'tcp.server.data_gpio' },
    });
    expect(store.assign(['gpio.init', '3', 'in'])).toMatchObject(refused('failed'));
    expect(store.assign(['system.indicator.gpio', 'softap', '4'])).toMatchObject({ error: { owner: 'gpio.init 4' } });
    expect(store.assign(['system.wakeup.events', 'gpio2,gpio3'])).toMatchObject(refused('failed'));
    set(
      store,
      'tcp.server.data_gpio -1',
      'udp.server.data_gpio 3',
      'gpio.init 4 none',
      'system.indicator.gpio softap 4',
    );
  });
});

describe('typed access', () => {
  test('set from inside throws on values that do not fit', () => {
    const { store } = testStore();
    store.set('wlan.ssid', 'caf\u00e9 \\x41');
    store.set('tcp.server.port', 8080);
    expect(store.get('tcp.server.port')).toBe(8080);
    expect(() => store.set('tcp.server.port', 65_536)).toThrow(/does not fit/);
    expect(() => store.set('bus.mode', 'bogus' as 'stream')).toThrow(/does not fit/);
    expect(() => store.getAt('uart.baud', 2)).toThrow(/has no index '2'/);
    expect(store.getAt('uart.baud', 1)).toBe(115_200);
    expect(store.getAt('system.msg', 'initialized')).toBe('[Ready]');
  });

  test('lookup finds names, aliases and shortcuts', () => {
    const { store } = testStore();
    for (const call of ['system.build_number', 'sy n', 'sy b n']) {
      expect(store.lookup(call)?.name).toBe('system.build_number');
    }
    expect(store.lookup('gpio_init')?.name).toBe('gpio.init');
    expect(store.lookup('system')).toBeUndefined();
    expect(store.names()).toContain('wlan.ssid');
  });

  test('listeners hear of changes below their prefix, and of no others', () => {
    const { store } = testStore();
    const received: string[] = [];
    const stop = store.onChange('wlan', (name) => received.push(name));
    store.onChange('wlan.ssid', (name) => received.push(`ssid:${name}`));
    set(store, 'wlan.ssid a', 'wlan.ssid a', 'softap.ssid b', 'wlan.tx_power 3');
    expect(received).toEqual(['wlan.ssid', 'ssid:wlan.ssid', 'wlan.tx_power']);
    stop();
    set(store, 'wlan.tx_power 4');
    expect(received).toHaveLength(3);
  });
});

describe('saving', () => {
  // Spec: MOD-SET-storage, MOD-CMD-save, MOD-CMD-load.
  test('load brings back what was saved, and only that', async () => {
    const { store, reopen } = testStore();
    set(store, 'wlan.ssid kept', 'uart.baud 0 9600', 'gpio.alias 3 Bell');
    await store.save();
    set(store, 'wlan.ssid lost', 'wlan.tx_power 3');
    expect(await store.load()).toEqual([]);
    expect(store.query(['wlan.ssid'])).toEqual(value('kept'));
    expect(store.query(['wlan.tx_power'])).toEqual(value('17'));
    const again = await reopen();
    expect(again.getAt('uart.baud', 0)).toBe(9600);
    expect(rows(again, 'gpio.alias')).toEqual(['gpio.alias 3: Bell']);
  });

  test('load without a saved copy brings the defaults, and notifies the listeners', async () => {
    const { store } = testStore();
    const received: string[] = [];
    set(store, 'wlan.ssid a');
    store.onChange('wlan', (name) => received.push(name));
    await store.load();
    expect(store.get('wlan.ssid')).toBe('');
    expect(received).toEqual(['wlan.ssid']);
  });

  test('erase takes the saved copy away and leaves the values in use', async () => {
    const { store, reopen } = testStore();
    set(store, 'wlan.ssid a');
    await store.save();
    await store.erase();
    expect(store.get('wlan.ssid')).toBe('a');
    expect((await reopen()).get('wlan.ssid')).toBe('');
  });

  test('damaged and unknown saved values are dropped by name, the others stay', async () => {
    const { store } = testStore();
    const values = {
      'wlan.ssid': 'harbour',
      'wlan.tx_power': '99',
      'tcp.server.port': 80,
      bogus: '1',
      'wl s': 'x',
      'time.rtc': '5',
      'wlan.ssid 3': 'x',
      'uart.baud': '9600',
      'uart.baud 7': '9600',
      'uart.baud 0 1': '9600',
    };
    const imported = store.import(JSON.stringify({ format: 1, values }));
    const dropped = Object.keys(values).filter((key) => key !== 'wlan.ssid');
    expect(imported).toEqual({ ok: true, value: dropped });
    expect(store.export()).toBe('{"format":1,"values":{"wlan.ssid":"harbour"}}\n');
  });

  test.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"format":2,"values":{}}',
    '{"format":1}',
    '{"format":1,"values":3}',
    '{"format":1,"values":',
  ])('the saved text %j counts as damaged and leaves the defaults', async (text) => {
    const bytes = new MemoryStore();
    const writer = await bytes.create('settings');
    await writer.append(Buffer.from(text));
    await writer.publish();
    const { store } = testStore({ store: bytes });
    set(store, 'wlan.ssid a');
    expect(await store.load()).toBe('damaged');
    expect(store.get('wlan.ssid')).toBe('');
    expect(store.import(text)).toEqual({ ok: false, error: 'malformed' });
  });

  test('a power cut during save leaves the old values or the new ones', async () => {
    const saved = await (async () => {
      const bytes = new MemoryStore();
      const { store } = testStore({ store: bytes });
      set(store, 'wlan.ssid old');
      await store.save();
      return bytes;
    })();
    for (const effect of ['lost', 'kept'] as const) {
      for (let atOperation = 0; ; atOperation++) {
        const cut = saved.survivor({ atOperation, effect });
        const { store } = testStore({ store: cut });
        set(store, 'wlan.ssid new');
        const finished = await store.save().then(
          () => true,
          () => false,
        );
        const { store: restarted } = testStore({ store: cut.survivor() });
        expect(await restarted.load()).toEqual([]);
        expect(finished ? ['new'] : ['old', 'new']).toContain(restarted.get('wlan.ssid'));
        if (finished) break;
      }
    }
  });

  test('defaults of a personality hold until something else is set, and are not saved', async () => {
    const defaults = new Map([['softap.ssid', 'Buoy-#']]);
    const { store } = testStore({ defaults });
    expect(store.query(['so', 's'])).toEqual(value('Buoy-#'));
    set(store, 'softap.ssid Module-#');
    expect(store.export()).toContain('Module-#');
    set(store, 'softap.ssid Buoy-#');
    expect(store.export()).not.toContain('Buoy');
  });
});
