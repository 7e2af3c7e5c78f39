import { expect, it } from 'vitest';
import { mask, maskSecrets } from './secrets.ts';

it.each([
  [
    'get wlan',
    'wlan.ssid: yard\r\nwlan.passkey: secret harbour\r\nwlan.tx_power: 17',
    `wlan.ssid: yard\nwlan.passkey: ${mask}\nwlan.tx_power: 17`,
  ],
  [
    'get all',
    'email.smtp.password: a: b\r\nhttp.server.port: 80',
    `email.smtp.password: ${mask}\nhttp.server.port: 80`,
  ],
  ['get wlan.passkey', 'secret harbour\r\n', `${mask}\n`],
  ['get wl p', 'secret harbour', mask],
  ['  get  softap.pass', 'secret', mask],
  ['get dms.provision.token', 'c2VjcmV0', mask],
])('%s shows no secret', (command, answer, shown) => {
  expect(maskSecrets(command, answer)).toEqual({ text: shown, masked: true });
});

it.each([
  ['get wlan.ssid', 'yard'],
  ['get wlan.hide_passkey', '0'],
  // Nothing is set: there is nothing to hide.
  ['get wlan', 'wlan.passkey: \nwlan.hide_passkey: 1'],
  ['version', 'Moorage-2.2.0.12'],
  ['ls', 'password.txt\npasskey'],
])('%s is shown as it is', (command, answer) => {
  expect(maskSecrets(command, answer)).toEqual({ text: answer, masked: false });
});
