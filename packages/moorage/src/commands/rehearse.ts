import { defineCliCommand } from '../command-line/define.ts';
import { rehearseOptions } from '../rehearsal/options.ts';

export const rehearseCommand = defineCliCommand({
  name: 'rehearse',
  summary: 'Run a planned rollout on twins of a fleet in virtual time, and report what it would do',
  options: rehearseOptions,
  async run({ options, reporter }) {
    const { runRehearsal } = await import('../rehearsal/command.ts');
    await runRehearsal(options, reporter);
    // What the service in memory has planned would keep the process.
    process.exit(0);
  },
});
