import { completionFor, shells } from '../command-line/completion.ts';
import { type CliCommand, defineCliCommand } from '../command-line/define.ts';
import { wordOf } from '../command-line/words.ts';

/** The command that completes others: it is handed the table that it stands in. */
export const completionCommandOf = (
  commands: () => readonly CliCommand[],
  groups: Readonly<Record<string, string>>,
): CliCommand =>
  defineCliCommand({
    name: 'completion',
    summary: 'Completion for a shell: print it, and have the shell read it',
    arguments: [{ name: 'SHELL', help: shells.join(', ') }],
    options: {},
    async run({ args: [name = ''], reporter }) {
      const shell = wordOf(shells, name, 'Argument SHELL');
      const script = completionFor(shell, commands(), groups);
      reporter.event('completion', { shell, script }, script.trimEnd());
    },
  });
