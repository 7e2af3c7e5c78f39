import { expect, test } from 'vitest';
import { type Command, commandDefiner } from './command.ts';
import { Registry } from './registry.ts';
import { ok } from './reply.ts';

const define = commandDefiner<object>();

const command = (name: string, shortcut: string, more: Partial<Command<object>> = {}): Command<object> => ({
  ...define({ name, shortcut, group: 'test', spec: 'TEST', evidence: 'proposed', summary: '', run: () => ok() }),
  ...more,
});

// Spec: MOD-RULE-shortcut, MOD-LINE-names.
test('Registry finds a command by name, shortcut and alias, and by nothing else', () => {
  const registry = new Registry([command('file_stat', 'fst', { aliases: ['stat'] })]);
  for (const word of ['file_stat', 'fst', 'stat']) expect(registry.find(word)?.name).toBe('file_stat');
  for (const word of ['FST', 'file', 'file_stat ', '', 'constructor']) expect(registry.find(word)).toBeUndefined();
});

test('Registry lists commands by name without the hidden ones', () => {
  const registry = new Registry([command('b', 'b'), command('secret', 'secret', { hidden: true }), command('a', 'a')]);
  expect(registry.listed().map(({ name }) => name)).toEqual(['a', 'b']);
  expect(registry.find('secret')).toBeDefined();
});

// Spec: MOD-LIMIT-shortcut.
test.each([
  [[command('a', 'x'), command('b', 'x')], "both claim 'x'"],
  [[command('a', 'a'), command('b', 'a')], "both claim 'a'"],
  [[command('a', 'a', { aliases: ['b'] }), command('b', 'b')], "both claim 'b'"],
  [[command('a', 'toolong')], 'longer than 6'],
])('Registry refuses a list in which two commands clash or a shortcut is too long', (list, message) => {
  expect(() => new Registry(list)).toThrow(message);
});

test('Registry accepts a long name as its own shortcut', () => {
  expect(new Registry([command('force_safemode', 'force_safemode')]).find('force_safemode')).toBeDefined();
});
