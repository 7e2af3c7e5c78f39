import { expect, test } from 'vitest';
import { commandText } from './command-text.ts';

test.each([
  ['version', 'version'],
  ['  ls   -l ', 'ls -l'],
  ['get wl p', 'get wl p'],
  ['set wlan.passkey "moor ings"', 'set wlan.passkey …'],
  ['set wl p moorings', 'set wl …'],
  ['dms claim owner "a long password"', 'dms claim …'],
  ['cloud_activate owner secret caps.json', 'cloud_activate owner …'],
])('commandText keeps of "%s" what is no secret', (line, kept) => {
  expect(commandText(line)).toBe(kept);
});
