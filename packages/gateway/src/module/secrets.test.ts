import { describe, expect, test } from 'vitest';
import { isSecretName, isSecretValue } from './secret-names.ts';
import { SecretFilter, withoutNamedSecrets } from './secrets.ts';

const names =
  'wlan.passkey WLAN_PASSKEY wlanPassKey wifi-password ap.passwd passwd1 user_pwd AdminPassphrase door.passcode client.secret client_secret2 api.token apiToken ' +
  'authtoken wpa_psk psk0 credentials wpaKey api_key private-key tls.privkey keys.device sim.pin SIM_PIN doorPIN wps_pin cik cloud.cik kennwort contrasena';
const harmless =
  'wlan.ssid gpio.init ping.count spin passive.scan compass bypassed uart.baud system.version mapping.pins';

test.each(names.split(' '))('%s is the name of a secret, whatever firmware has it', (name) => {
  expect([isSecretName(name), isSecretValue(name, 'quay-4711')]).toEqual([true, true]);
});

test.each(harmless.split(' '))('%s is no name of a secret', (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each(['', '0', '1', 'on', 'False', '********', '12'])('what a key is said to be, %j, is none', (value) => {
  expect(isSecretValue('wlan.hide_key', value)).toBe(false);
});

const filter = new SecretFilter({ variables: [], settings: [], texts: [] });

describe('a password is found', () => {
  test.each([
    'wlan.passkey: quay-4711',
    'wlan.passkey = "quay-4711"',
    'wlan.passkey 1: quay-4711',
    'passkey[0]: quay-4711',
    '  passkey: quay-4711,',
    '> wpa_psk=quay-4711;',
    'door.PIN\tquay-4711',
    'api_key   quay-4711',
    '| password | quay-4711 |',
    'set wl.secret quay-4711',
    '> set wl.secret "quay-4711"',
    '{"wifi":{"password":"quay-4711"}}',
    '<psk>quay-4711</psk>',
    '<input name="password" value="quay-4711">',
    'url: http://quay/?token=quay-4711&x=1',
    'ota: http://ada:quay-4711@quay/',
    'Authorization: Bearer quay-4711',
  ])('in the line %j, which keeps its place', (line) => {
    const clean = filter.lines(`ssid: harbour\n${line}\nchannel: 6`);
    expect(clean).not.toContain('quay-4711');
    expect(clean.split('\n')).toHaveLength(3);
    expect(clean).toMatch(/^ssid: harbour\n.*\nchannel: 6$/);
  });

  test.each([
    ['Base64', Buffer.from('quay-4711').toString('base64')],
    ['hexadecimal', Buffer.from('quay-4711').toString('hex')],
    ['URL', 'quay%2D4711'.replace('%2D', '-')],
  ])('by its value, in %s', (_, spelled) => {
    const known = new SecretFilter({ variables: [], settings: [{ name: 'ap.psk', value: 'quay-4711' }], texts: [] });
    expect(known.why(Buffer.from(`boot ${spelled} end`))).toBe('a password stands in it');
  });

  test('in a table whose head names one, and in a key of several lines', () => {
    const table = '! # SSID  Passkey\n# 0 harbour quay-4711\nuser.data: x';
    expect(filter.lines(table)).toBe('! # SSID  Passkey\n\nuser.data: x');
    const key = 'a: b\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\nc: d';
    expect(filter.lines(key)).toBe('a: b\n\n\n\nc: d');
  });
});

test('what a program says about passwords is no password', () => {
  for (const line of ['<label>Password</label>', 'const key = row.key;', 'if (!password) return;', 'key: value,'])
    expect(filter.why(line), line).toBeUndefined();
});

test('a text for a log has no password that it names', () => {
  expect(withoutNamedSecrets('line 3 failed\nset wlan.passkey quay-4711')).toBe('line 3 failed\n');
});
