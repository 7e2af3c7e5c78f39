import { expect, test } from 'vitest';
import { parseScript } from './parse.ts';

const stepsOf = (text: string): readonly string[] => {
  const parsed = parseScript(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value.map(({ name, steps }) => `${name}: ${steps.map((step) => step.line).join(' ')}`);
};

test('steps before the first case come first in each, and a script without cases is one', () => {
  expect(stepsOf('# set up\nsend a\n\ncase one\nreset\r\ncase two\n  send b # c\n')).toEqual(['one: 2 5', 'two: 2 7']);
  expect(stepsOf('reset # now')).toEqual(['script: 1']);
});

test.each([
  ['', '1:1: The script has no steps'],
  ['# nothing', '1:1: The script has no steps'],
  [
    'wiat 2 s',
    '1:1: One of send, run, type, expect, wait, pin, cut, reset, link, network, fault, case is expected here',
  ],
  ['\n  wait 2 d', '2:8: A time such as 250 ms or 1.5 s is expected here'],
  ['wait 2 s now', '1:10: "now" is too much here'],
  ['wait 9000 h', '1:6: A time of a year at most is expected here'],
  ['send', '1:5: The line to send is expected here'],
  ['case', '1:5: The name of the case is expected here'],
  ['case a\nreset\ncase a', '3:1: There is a case "a" already'],
  ['type abc', '1:6: A text in quotes is expected here'],
  ['type "a\\q"', '1:6: A text in quotes is expected here'],
  ['expect Set OK', '1:8: A "text" or an /expression/ is expected here'],
  ['expect /(/', '1:8: Invalid regular expression: /(/m: Unterminated group'],
  ['expect "a" within', '1:18: A time such as 250 ms or 1.5 s is expected here'],
  ['expect "a" in 2 s', '1:12: "in 2 s" is too much here'],
  ['expect no "a"', '1:14: "for" is expected here'],
  ['expect pin x high', '1:12: The number of a pin is expected here'],
  ['expect pin 3 on', '1:14: One of high, low, float is expected here'],
  ['pin 3 3.3', '1:7: One of high, low, float is expected here'],
  ['cut wire', '1:5: "power" is expected here'],
  ['link off', '1:6: "up" is expected here'],
  ['reset now', '1:7: "now" is too much here'],
  ['fault !', '1:8: A name of 2 to 48 printable characters is expected here'],
])('%j is refused with line and column', (text, error) => {
  expect(parseScript(text)).toEqual({ ok: false, error });
});

test('a script has a limit', () => {
  expect(parseScript('reset\n'.repeat(10_000))).toMatchObject({
    ok: false,
    error: expect.stringMatching(/^10001:1: /),
  });
});
