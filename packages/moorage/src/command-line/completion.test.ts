import { expect, test } from 'vitest';
import { commands, groups } from '../commands/index.ts';
import { completionFor, shells } from './completion.ts';

test.each(shells)('completion for %s has every command, group and option', (shell) => {
  const script = completionFor(shell, commands, groups);
  const names = [...commands.map(({ name }) => name), ...Object.keys(groups)];
  for (const name of names) expect(script).toMatch(new RegExp(`(^|[ '])${name}($|[ '])`, 'm'));
  const options = new Set(commands.flatMap((command) => Object.keys(command.options)));
  for (const option of options) expect(script).toContain(shell === 'fish' ? `-l ${option} ` : `--${option}`);
});

test.each(shells)('what help says does not end a quoted text of %s', (shell) => {
  const [command] = commands;
  if (!command) throw new Error('There are no commands');
  const odd = { ...command, name: 'odd', summary: "its owner's; $(touch x) `y`" };
  const script = completionFor(shell, [odd], {});
  expect(script).not.toMatch(/[^\\]'s; \$\(touch x\)[^']*$/m);
  expect(script).toContain(shell === 'fish' ? `'its owner'\\''s; $(touch x) \`y\`'` : 'odd');
});
