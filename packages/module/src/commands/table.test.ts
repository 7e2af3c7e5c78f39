import { describe, expect, it } from 'vitest';
import { parseArguments } from '../interpreter/arguments.ts';
import type { ArgSpec, Command } from '../interpreter/command.ts';
import { Registry } from '../interpreter/registry.ts';
import { codes } from '../interpreter/reply.ts';
import { tokenise } from '../interpreter/tokeniser.ts';
import { usage } from '../interpreter/usage.ts';
import type { Board } from './board.ts';
import { allCommands } from './index.ts';

type Row = Command<Board>;

/** A word that an argument of this kind takes, and words that it does not. */
function samples(spec: ArgSpec): { readonly good: string; readonly bad: readonly string[] } {
  switch (spec.kind) {
    case 'int':
      return { good: String(spec.min), bad: [String(spec.max + 1), String(spec.min - 1), '1x', '1.5'] };
    case 'gpio':
      return { good: '0', bad: ['x', '1000', '-1'] };
    case 'hex':
      return { good: '0', bad: ['xyz', (spec.max + 1).toString(16)] };
    case 'bit':
      return { good: '1', bad: ['2', 'yes'] };
    case 'choice':
      return { good: spec.choices[0] ?? '', bad: [`${spec.choices[0]}x`] };
    case 'version':
      return { good: '1.0.0', bad: ['one', '1.2.3.4.5', '99999.0.0.0'] };
    case 'word':
    case 'file':
      return { good: 'word', bad: spec.maxLength === undefined ? [] : ['x'.repeat(spec.maxLength + 1)] };
    case 'words':
      return { good: 'word', bad: [] };
  }
}

const specsOf = (command: Row): readonly ArgSpec[] => Object.values(command.args);
const goodWords = (command: Row): string[] => specsOf(command).map((spec) => samples(spec).good);
const requiredWords = (command: Row): string[] =>
  specsOf(command)
    .filter((spec) => !spec.optional)
    .map((spec) => samples(spec).good);

/** The refusal of a line with these words, or `ok`. */
function outcome(command: Row, words: readonly string[]): number | 'ok' {
  const tokens = tokenise(words.join(' '));
  if (!tokens.ok) throw new Error('The test line has an unbalanced quote');
  const parsed = parseArguments(command, tokens.value);
  return parsed.ok ? 'ok' : parsed.error;
}

// What every entry declares is what the parser holds it to.
describe.each(allCommands.map((command) => [command.name, command] as const))('%s', (name, command) => {
  it('names its own spec id, and says what it does', () => {
    expect(command.spec).toBe(`MOD-CMD-${name}`);
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(usage(command)).toMatch(new RegExp(`^${name}( |$)`));
  });

  it('has an example that it takes, of at most 60 characters', () => {
    const { example = '' } = command;
    const tokens = tokenise(example);
    if (!tokens.ok) throw new Error('The example has an unbalanced quote');
    const [first, ...words] = tokens.value;
    expect(first?.text).toBe(name);
    expect(parseArguments(command, words)).toMatchObject({ ok: true });
    expect(example.length).toBeLessThanOrEqual(60);
  });

  it('takes a line with all of its arguments', () => {
    expect(outcome(command, goodWords(command))).toBe('ok');
  });

  it('takes a line with only the required ones', () => {
    expect(outcome(command, requiredWords(command))).toBe('ok');
  });

  const needsWords = requiredWords(command).length > 0;
  it(`${needsWords ? 'refuses a line with too few' : 'takes a line without any'} (MOD-ERR-4)`, () => {
    expect(outcome(command, requiredWords(command).slice(1))).toBe(needsWords ? codes.TOO_FEW : 'ok');
  });

  const takesRest = specsOf(command).at(-1)?.kind === 'words';
  it(`${takesRest ? 'takes' : 'refuses'} a line with more words (MOD-ERR-5)`, () => {
    expect(outcome(command, [...goodWords(command), 'more'])).toBe(takesRest ? 'ok' : codes.TOO_MANY);
  });

  const hasOptions = Object.keys(command.options).length > 0;
  it(`${hasOptions ? 'refuses an unknown option' : 'takes what looks like an option for a word'} (MOD-ERR-6)`, () => {
    const asWord = outcome(command, ['"-Z"', ...goodWords(command)]);
    expect(outcome(command, ['-Z', ...goodWords(command)])).toBe(hasOptions ? codes.UNKNOWN_NAME : asWord);
  });

  it('refuses a bad value of each argument (MOD-ERR-7)', () => {
    for (const [index, spec] of specsOf(command).entries()) {
      for (const bad of samples(spec).bad) {
        const words = goodWords(command).with(index, bad);
        expect([words, outcome(command, words)]).toEqual([words, codes.INVALID]);
      }
    }
  });

  it('takes each of its options, and a value after those that want one', () => {
    for (const spec of Object.values(command.options)) {
      const before = spec.kind === 'letters' ? [`-${spec.letters}`] : [spec.flag];
      const value = spec.kind === 'value' ? [samples(spec.value).good] : [];
      expect(outcome(command, [...before, ...value, ...goodWords(command)])).toBe('ok');
      if (spec.kind !== 'value') continue;
      for (const bad of samples(spec.value).bad)
        expect(outcome(command, [...before, bad, ...goodWords(command)])).toBe(codes.INVALID);
    }
  });
});

describe('the list of commands', () => {
  // MOD-LIMIT-shortcut, MOD-RULE-shortcut
  it('has each word once, and shortcuts of at most six characters', () => {
    expect(() => new Registry(allCommands)).not.toThrow();
    const first = allCommands[0];
    if (!first) throw new Error('There are no commands');
    expect(() => new Registry([...allCommands, { ...first, name: 'other' }])).toThrow('both claim');
    expect(() => new Registry([{ ...first, name: 'a_long_one', shortcut: 'toolong' }])).toThrow('longer than 6');
  });
});
