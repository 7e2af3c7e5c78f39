import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restOf, tokenise, wordOf } from './tokeniser.ts';

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
  ['a"b c"d', ['a"b c"d']],
  ['"a""b"', ['a"b']],
  ['"""abc"""', ['"abc"']],
  ['"a"b', ['"a"b']],
  ['""""', ['"']],
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
    fc.property(fc.array(fc.string()), (texts) => {
      expect(words(texts.map(wordOf).join(' '))).toEqual(texts);
    }),
  );
});

test.each([
  [['"a b"'], 'a b'],
  [['"say ""hi"""'], 'say "hi"'],
  [['say', '"hi"'], 'say "hi"'],
  [['form-data;', 'name="a b"'], 'form-data; name="a b"'],
  [['back\\slash'], 'back\\slash'],
])('restOf takes %j as %j', (typed, expected) => {
  expect(restOf(typed)).toBe(expected);
});
