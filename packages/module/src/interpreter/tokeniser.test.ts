import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenise } from './tokeniser.ts';

const words = (line: string): readonly string[] | string => {
  const tokens = tokenise(line);
  return tokens.ok ? tokens.value.map((token) => token.text) : tokens.error;
};

test.each<[string, readonly string[] | string]>([
  ['', []],
  ['   ', []],
  ['ls', ['ls']],
  ['  set   wl s  net ', ['set', 'wl', 's', 'net']],
  ['set wlan.ssid "my net"', ['set', 'wlan.ssid', 'my net']],
  ['set x ""', ['set', 'x', '']],
  ['"" ""', ['', '']],
  ['a"b c"d', ['ab cd']],
  ['"a""b"', ['ab']],
  ['"a" "b"', ['a', 'b']],
  ['tab\there', ['tab\there']],
  ['back\\slash', ['back\\slash']],
  ['"', 'unbalanced-quote'],
  ['a "b', 'unbalanced-quote'],
  ['a "b" "', 'unbalanced-quote'],
])('tokenise splits %j', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

test('tokenise marks quoted words, which are never options', () => {
  expect(tokenise('-o "-o"')).toEqual({
    ok: true,
    value: [
      { text: '-o', quoted: false },
      { text: '-o', quoted: true, typed: '"-o"' },
    ],
  });
});

test('tokenise gives back words that were quoted, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(fc.string().map((text) => text.replaceAll('"', ''))), (texts) => {
      expect(words(texts.map((text) => `"${text}"`).join(' '))).toEqual(texts);
    }),
  );
});
