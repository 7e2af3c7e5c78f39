import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Declaration, parseArguments } from './arguments.ts';
import type { OptionOrder } from './command.ts';
import { tokenise } from './tokeniser.ts';
import { usage } from './usage.ts';

const create: Declaration = {
  options: {
    letters: { kind: 'letters', letters: 'eu', help: '' },
    open: { kind: 'switch', flag: '-o', help: '' },
  },
  args: {
    name: { kind: 'word', help: '', maxLength: 8 },
    size: { kind: 'int', min: 1, max: 100, help: '' },
    version: { kind: 'version', help: '', optional: true },
    type: { kind: 'hex', max: 0xff, help: '', optional: true },
  },
};

const client: Declaration = {
  options: {
    face: { kind: 'value', flag: '-i', value: { kind: 'choice', choices: ['wlan', 'softap'], help: '' }, help: '' },
  },
  args: { pin: { kind: 'gpio', help: '' }, on: { kind: 'bit', help: '', optional: true } },
};

const words: Declaration = { options: {}, args: { words: { kind: 'words', help: '' } } };
const files: Declaration = {
  options: { force: { kind: 'switch', flag: '-f', help: '' } },
  args: { files: { kind: 'words', help: '', optional: true } },
};

function parse(declared: Declaration, line: string): unknown {
  const tokens = tokenise(line);
  if (!tokens.ok) throw new Error(tokens.error);
  const parsed = parseArguments(declared, tokens.value);
  return parsed.ok ? parsed.value : parsed.error;
}

const version = [1, 4, 0, 24];

test.each<[Declaration, string, object]>([
  [create, 'a 5', { letters: '', open: false, name: 'a', size: 5, version: undefined, type: undefined }],
  [create, '-eu -o a 5 1.4.0.24 fe', { letters: 'eu', open: true, name: 'a', size: 5, version, type: 0xfe }],
  [create, '-o -ue a 05 1.4.0.24 0xFE', { letters: 'ue', open: true, name: 'a', size: 5, version, type: 0xfe }],
  [create, '-e -u a 5', { letters: 'eu', open: false, name: 'a', size: 5, version: undefined, type: undefined }],
  [create, 'a 5 -o', { letters: '', open: true, name: 'a', size: 5, version: undefined, type: undefined }],
  [create, '"-o" 5', { letters: '', open: false, name: '-o', size: 5, version: undefined, type: undefined }],
  [client, '-i softap 3 on', { face: 'softap', pin: 3, on: 1 }],
  [client, '3 false', { face: undefined, pin: 3, on: 0 }],
  [words, 'wl s "my net" -o', { words: ['wl', 's', 'my net', '-o'] }],
  [files, '', { force: false, files: undefined }],
  [files, '-f a b -f', { force: true, files: ['a', 'b', '-f'] }],
])('parseArguments %# accepts %j', (declared, line, expected) => {
  expect(parse(declared, line)).toEqual(expected);
});

test.each<[Declaration, string, number]>([
  [create, '', 4],
  [create, 'a', 4],
  [create, '-o a', 4],
  [create, '-z a', 4],
  [words, '', 4],
  [client, '3 -i', 4],
  [create, 'a 5 1.0 FE 1', 5],
  [create, '-z a 5 1.0 FE 1', 5],
  [client, '-i wlan -i wlan 3', 5],
  [create, '-z a 5', 6],
  [create, '-oe a 5', 6],
  [create, '-z a size', 6],
  [create, 'a 5 -z', 6],
  [create, '-ee a 5', 7],
  [create, '-e -e a 5', 7],
  [create, 'longer_than_8 5', 7],
  [create, 'a 0', 7],
  [create, 'a 101', 7],
  [create, 'a 5x', 7],
  [create, 'a 0x5', 7],
  [create, 'a 1e1', 7],
  [create, 'a ""', 7],
  [create, `a ${'9'.repeat(400)}`, 7],
  [create, 'a 5 1.x', 7],
  [create, 'a 5 32.0.0.0', 7],
  [create, 'a 5 0.64.0.0', 7],
  [create, 'a 5 0.0.8192.0', 7],
  [create, 'a 5 0.0.0.256', 7],
  [create, 'a 5 1.0 100', 7],
  [create, 'a 5 1.0 fg', 7],
  [create, 'a 5 1.0 0x', 7],
  [client, '-i lan 3', 7],
  [client, '-1', 7],
  [client, '256', 7],
  [client, '3 2', 7],
])('parseArguments %# refuses %j with code %i', (declared, line, code) => {
  expect(parse(declared, line)).toBe(code);
});

// Spec: MOD-RULE-option-order.
test.each<[line: string, stated: 'ok' | 7, before: 'ok' | 7]>([
  ['a 5', 'ok', 'ok'],
  ['-eu -o a 5', 'ok', 'ok'],
  ['-e -u -o a 5', 'ok', 'ok'],
  ['-o a 5', 'ok', 'ok'],
  ['-o -eu a 5', 7, 'ok'],
  ['-e -o -u a 5', 7, 'ok'],
  ['a -o 5', 7, 7],
  ['a 5 -eu', 7, 7],
  ['-eu a 5 -o', 7, 7],
  ['-o "-eu" 5', 'ok', 'ok'],
])('options of %j: in the stated order %s, before the arguments %s, anywhere ok', (line, stated, before) => {
  const outcome = (optionOrder: OptionOrder) => {
    const parsed = parse({ ...create, optionOrder }, line);
    return typeof parsed === 'number' ? parsed : 'ok';
  };
  expect([outcome('stated'), outcome('before'), outcome('any')]).toEqual([stated, before, 'ok']);
});

test.each([
  ['a -o', 4],
  ['a 5 1.0 FE 1 -o', 5],
  ['a 5 -z', 6],
])('of %j the code %i comes before that of a misplaced option', (line, code) => {
  expect(parse({ ...create, optionOrder: 'stated' }, line)).toBe(code);
});

test('parseArguments answers any words with values or a code', () => {
  const word = fc.oneof(fc.constantFrom('-o', '-i', '-e', '-', '--', '5', 'a'), fc.string());
  fc.assert(
    fc.property(fc.constantFrom(create, client, words, files), fc.array(word, { maxLength: 8 }), (declared, texts) => {
      const parsed = parseArguments(
        declared,
        texts.map((text) => ({ text, quoted: false })),
      );
      if (!parsed.ok) expect([4, 5, 6, 7]).toContain(parsed.error);
    }),
  );
});

test.each<[Declaration, string]>([
  [create, 'x [-[e][u]] [-o] <name> <size> [<version> [<type>]]'],
  [client, 'x [-i <wlan/softap>] <pin> [<on>]'],
  [words, 'x <words>...'],
  [{ options: {}, args: {} }, 'x'],
])('usage %# derives %j', (declared, text) => {
  expect(usage({ name: 'x', ...declared })).toBe(text);
});
