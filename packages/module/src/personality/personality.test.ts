import { describe, expect, test } from 'vitest';
import { registryOf } from '../commands/registry.ts';
import { neutralTexts } from '../texts/texts.ts';
import { formatRow, loadPersonality, neutralPersonality, type Personality } from './personality.ts';

function load(changes: object): Personality {
  const loaded = loadPersonality(JSON.stringify(changes));
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

describe('neutral personality', () => {
  test('fills the blanks of texts', () => {
    expect(neutralPersonality.text('success')).toBe('Success');
    expect(neutralPersonality.text('closing', { handle: 3 })).toBe('Closing: 3');
    expect(neutralPersonality.text('closing', {})).toBe('Closing: ');
  });

  test('has texts of one line with their evidence', () => {
    for (const [key, { text, evidence }] of Object.entries(neutralTexts)) {
      expect([key, text]).toEqual([key, text.replace(/[\r\n]/g, '')]);
      expect(['spec', 'documented', 'seen', 'inferred', 'proposed']).toContain(evidence);
    }
  });
});

describe('table rows', () => {
  test.each([
    ['#%3d%7d%10s  %s', [0, 1995, '1.5.0', 'webapp/index.html'], '#  0   1995     1.5.0  webapp/index.html'],
    ['# %d %-6s%s', [1, 'UDPC', 'host:80'], '# 1 UDPC  host:80'],
    ['%c-%02X %04X', ['e', 254, 33], 'e-FE 0021'],
    ['%3d', [12345], '12345'],
    ['%s|%s', ['only'], 'only|'],
  ] as const)('%s', (layout, values, expected) => {
    expect(formatRow(layout, values)).toBe(expected);
  });
});

describe('personality file', () => {
  test('an empty one is the neutral personality', () => {
    const { texts, rows, version } = load({});
    expect({ texts, rows, version }).toEqual({
      texts: neutralPersonality.texts,
      rows: neutralPersonality.rows,
      version: neutralPersonality.version,
    });
  });

  test('overrides names, texts, rows, timings, prefix, defaults and aliases', () => {
    const personality = load({
      name: 'Buoy',
      cloudPrefix: 'ghm',
      texts: { success: 'Done', closing: 'Closing handle {handle}' },
      rows: { scan: '# %d %d %d %s %s' },
      timings: { bootMs: 2000 },
      variableDefaults: { 'softap.ssid': 'Buoy-#', 'ghm.capabilities': 'a.json', 'uart.baud 0': '9600' },
      commandAliases: { version: ['fw'] },
      habits: { redraw: true, controlKeys: false },
    });
    expect(personality.text('success')).toBe('Done');
    expect(personality.text('closing', { handle: 1 })).toBe('Closing handle 1');
    expect(personality.row('scan', 0, 1, -51, 'mac', 'net')).toBe('# 0 1 -51 mac net');
    expect(personality.timings).toMatchObject({ bootMs: 2000, saveMs: 0 });
    expect(personality.habits).toEqual({ controlKeys: false, completion: true, redraw: true, helpExamples: false });
    expect(personality.names.find('ghm.status')?.name).toBe('cloud.status');
    expect(Object.fromEntries(personality.defaults)).toEqual({
      'softap.ssid': 'Buoy-#',
      'cloud.capabilities': 'a.json',
      'uart.baud 0': 9600,
    });
    const registry = registryOf(personality);
    expect(registry.ok && registry.value.find('fw')?.name).toBe('version');
    expect(registry.ok && registry.value.find('ver')?.name).toBe('version');
  });

  test.each([
    ['{', /is not JSON/],
    ['[]', /must hold a JSON object/],
    ['{"bogus":1}', /has no key "bogus"/],
    ['{"toString":1}', /has no key "toString"/],
    ['{"name":"two words"}', /"name" must be a word of 1 to 32 characters, not "two words"/],
    ['{"version":"1.2"}', /"version" must be a version of four parts/],
    ['{"built":"today"}', /"built" must be a time/],
    ['{"cloudPrefix":"A"}', /"cloudPrefix" must be/],
    ['{"cloudPrefix":7}', /"cloudPrefix" must be/],
    ['{"texts":[]}', /"texts" must be an object/],
    ['{"texts":{"bogus":"x"}}', /"texts" has no entry "bogus"/],
    ['{"texts":{"success":7}}', /text "success" must be one line/],
    ['{"texts":{"success":"a\\nb"}}', /text "success" must be one line/],
    ['{"texts":{"closing":"{stream}"}}', /text "closing" has no blank "\{stream\}"/],
    ['{"rows":{"scan":"%s"}}', /row "scan" must have the same columns/],
    ['{"timings":{"bootMs":-1}}', /timing "bootMs" must be a number of ms/],
    ['{"timings":{"scanMs":[3,2]}}', /timing "scanMs" must be a number of ms up to 600000, or a list/],
    ['{"timings":{"scanMs":[1,2,3]}}', /timing "scanMs"/],
    ['{"timings":{"scanMs":[1,600001]}}', /timing "scanMs"/],
    ['{"habits":true}', /"habits" must be an object/],
    ['{"habits":{"bell":true}}', /"habits" has no entry "bell"/],
    ['{"habits":{"redraw":1}}', /habit "redraw" must be true or false/],
    ['{"timings":{"bogusMs":1}}', /"timings" has no entry "bogusMs"/],
    ['{"variableDefaults":{"bogus":"1"}}', /names "bogus", which is no variable/],
    ['{"variableDefaults":{"wlan.mac":"x"}}', /names "wlan.mac", which is no variable/],
    ['{"variableDefaults":{"uart.baud":"9600"}}', /names "uart.baud"/],
    ['{"variableDefaults":{"wlan.tx_power":"99"}}', /Value "99" does not fit variable "wlan.tx_power"/],
    ['{"variableDefaults":{"wlan.tx_power":9}}', /must be an object of texts/],
    ['{"cloudPrefix":"network"}', /key "cloudPrefix" is "network", with which other variables begin/],
    ['{"optionOrder":[]}', /must be an object of the words stated, before, any/],
    ['{"optionOrder":{"file_create":"late"}}', /must be an object of the words stated, before, any/],
    ['{"commandAliases":{"version":"fw"}}', /must be an object of lists of words/],
  ])('%s is refused with a clear error', (contents, message) => {
    const loaded = loadPersonality(contents);
    expect(loaded.ok).toBe(false);
    if (!loaded.ok) expect(loaded.error).toMatch(message);
  });

  test.each([
    [{ bogus: ['x'] }, /names "bogus", which is no command/],
    [{ version: ['reboot'] }, /gives "reboot" to two commands/],
    [{ version: ['fw'], save: ['fw'] }, /gives "fw" to two commands/],
  ])('aliases %j are refused when the commands are put together', (commandAliases, message) => {
    const registry = registryOf(load({ commandAliases }));
    expect(registry.ok).toBe(false);
    if (!registry.ok) expect(registry.error).toMatch(message);
  });

  // Spec: MOD-RULE-option-order.
  test('the order of options is that of the command, unless the personality has another one', () => {
    const orders = (given: Readonly<Record<string, string>>): unknown[] => {
      const registry = registryOf(load({ optionOrder: given }));
      if (!registry.ok) return [registry.error];
      return ['file_create', 'http_download', 'ping'].map((name) => registry.value.find(name)?.optionOrder ?? 'any');
    };
    expect(orders({})).toEqual(['before', 'stated', 'any']);
    expect(orders({ file_create: 'stated', ping: 'before' })).toEqual(['stated', 'stated', 'before']);
    expect(orders({ http_download: 'any' })).toEqual(['before', 'any', 'any']);
    expect(orders({ bogus: 'any' })).toEqual(['Personality key "optionOrder" names "bogus", which is no command']);
  });

  test('a prefix that makes two commands the same is refused, too', () => {
    const taken = { ...neutralPersonality, cloudPrefix: 'stream' };
    const error = 'Personality key "cloudPrefix" gives "stream_read" to two commands';
    expect(registryOf(taken)).toEqual({ ok: false, error });
  });

  test('one registry serves all modules of a personality', () => {
    expect(registryOf(neutralPersonality)).toEqual(registryOf(neutralPersonality));
  });
});
