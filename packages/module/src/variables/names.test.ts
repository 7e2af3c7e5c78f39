import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allVariables } from './index.ts';
import { NameIndex } from './names.ts';

const names = new NameIndex(allVariables);
const anyVariable = fc.constantFrom(...allVariables);
const maxRun = 4;

/** Every way to call any variable, as words. */
const allCalls = new Set(
  allVariables.flatMap((v) => [v.name, ...(v.aliases ?? []), ...names.shortcutsOf(v)].map((call) => call)),
);

describe('matching of variable names', () => {
  // Spec: MOD-SET-shortcut.
  test('a name or shortcut followed by a value matches its variable and leaves the value', () => {
    const value = fc.array(fc.string({ minLength: 2, maxLength: 8 }), { maxLength: 3 });
    fc.assert(
      fc.property(anyVariable, value, fc.nat(), (variable, rest, pick) => {
        const calls = [variable.name, ...(variable.aliases ?? []), ...names.shortcutsOf(variable)];
        const call = calls[pick % calls.length] ?? variable.name;
        expect(names.match([...call.split(' '), ...rest])).toEqual({ kind: 'variable', variable, rest });
        expect(names.find(call)).toBe(variable);
      }),
    );
  });

  test('no longer run of words than the one matched calls a variable', () => {
    const letters = fc.constantFrom('wl', 'so', 'sy', 's', 'i', 'r', 'c', 'a', 'e', 't', 'p');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 5 }), (words) => {
        const match = names.match(words);
        const used = match ? words.length - match.rest.length : 0;
        for (let length = used + 1; length <= Math.min(words.length, maxRun); length++) {
          expect(allCalls).not.toContain(words.slice(0, length).join(' '));
        }
        if (match) expect(match.rest).toEqual(words.slice(used));
      }),
    );
  });

  test('arbitrary words never throw', () => {
    fc.assert(fc.property(fc.array(fc.string()), (words) => void names.match(words)));
  });

  test('a prefix, dotted or short, matches all below it', () => {
    fc.assert(
      fc.property(anyVariable, fc.nat(), (variable, pick) => {
        const parts = variable.name.split('.');
        const prefix = parts.slice(0, 1 + (pick % (parts.length - 1))).join('.');
        const match = names.match([prefix]);
        const below = names.variables.filter((other) => other.name.startsWith(`${prefix}.`));
        expect(match).toEqual({ kind: 'group', members: below, rest: [] });
      }),
    );
    expect(names.match(['wl', 'o'])).toMatchObject({ kind: 'group', members: { length: 3 } });
  });

  test('a quoted shortcut is no shortcut', () => {
    expect(names.match(['wl s'])).toBeUndefined();
    expect(names.match(['tc c'])).toBeUndefined();
  });

  test('another spelling of the cloud prefix is listed and accepted; cloud, cl and gh stay accepted', () => {
    const other = new NameIndex(allVariables, 'ghm');
    const variable = other.find('ghm.status');
    expect(variable?.name).toBe('cloud.status');
    for (const call of ['cloud.status', 'cl t', 'gh t']) expect(other.find(call)).toBe(variable);
    expect(other.variables.map((each) => other.nameOf(each))).toContain('ghm.solo.gpio');
    expect(other.variables.map((each) => other.nameOf(each))).toEqual(
      other.variables.map((each) => other.nameOf(each)).toSorted(),
    );
    expect(other.match(['ghm'])).toMatchObject({ kind: 'group', members: { length: 5 } });
    expect(other.match(['gh', 's'])).toMatchObject({ kind: 'group', members: { length: 3 } });
  });
});
