import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { lineUser } from '../testing/line-user.ts';
import { networkRig } from '../testing/network-rig.ts';
import { logReply } from '../web/api.ts';
import { parseAir } from '../wlan/air.ts';

/** As a program reads it: the bytes of UTF-8, one character for each. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const personality = unwrap(
  loadPersonality(
    JSON.stringify({
      texts: { prompt: 'Größe> ', askNetwork: 'Welches Ü? ', success: 'Schön', closing: 'Schließe {handle}' },
    }),
  ),
);

const air = unwrap(
  parseAir(
    JSON.stringify({
      accessPoints: [{ ssid: 'Café', bssid: '02:6D:6F:00:00:01', channel: 1, security: 'open', rssiDbm: -50 }],
    }),
  ),
);

/** Every way on which a text leaves a command line. */
const ways: readonly { readonly what: string; readonly typed: readonly string[]; readonly shows: string }[] = [
  { what: 'a prompt', typed: ['\r'], shows: 'Größe> ' },
  { what: 'a reply', typed: ['save\r'], shows: 'Schön\r\n' },
  { what: 'a value', typed: [`set user.data ${bytes('Übung')}\r`, 'get user.data\r'], shows: 'Übung\r\n' },
  { what: 'a group', typed: [`set user.data ${bytes('Übung')}\r`, 'get user\r'], shows: 'user.data: Übung\r\n' },
  { what: 'a list', typed: ['wlan_scan\r'], shows: ' Café\r\n' },
  { what: 'a question', typed: ['network_up -s\r'], shows: 'Welches Ü? ' },
  { what: 'the table in a question', typed: ['network_up -s\r'], shows: ' Café\r\n' },
  { what: 'a line of the log', typed: ['file_create -o f 9\r', 'stream_close 0\r'], shows: 'Schließe 0\r\n' },
  { what: 'what is drawn again', typed: [bytes('set user.data Ü'), '\x0c'], shows: 'Größe> set user.data Ü' },
  {
    what: 'buffered output',
    typed: ['set system.cmd.buffered 1\r', 'wlan_scan\r', 'stream_read 0 200\r'],
    shows: ' Café\r\n',
  },
];

// Spec: MOD-OUT-1. One way out for text, whatever it belongs to.
test.each(ways)('$what is UTF-8', async ({ typed, shows }) => {
  const rig = await networkRig({ personality, air });
  const { type } = lineUser(rig.module, rig.pass);
  let said = '';
  for (const line of typed) said = await type(line);
  expect(said).toContain(bytes(shows));
});

test.each([
  ['save', 'Schön'],
  ['wlan_scan', ' Café'],
])('%s over HTTP is the same text', async (line, shows) => {
  const rig = await networkRig({ personality, air });
  expect(await rig.run(line)).toContain(shows);
});

test('the log over HTTP is the same text', async () => {
  const rig = await networkRig({ personality, air });
  await rig.runAll('file_create -o f 9', 'stream_close 0');
  expect(logReply(rig.module.log.entries())).toContain('Schließe 0');
});
