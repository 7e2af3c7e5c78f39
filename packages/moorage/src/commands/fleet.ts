import { defineCliCommand, UserError } from '../command-line/define.ts';
import { stopOnSignal } from '../command-line/lifecycle.ts';
import { fleetFlags, fleetOptions } from '../fleet/options.ts';

export const fleetCommand = defineCliCommand({
  name: 'fleet',
  summary: 'Many virtual modules against a service; a scenario says what they have to bear',
  options: fleetOptions,
  async run({ options, reporter }) {
    const flags = fleetFlags(options);
    const { runFleet } = await import('../fleet/command.ts');
    const running = await runFleet(flags, reporter);
    // A signal stops it as well, with code 0.
    stopOnSignal(() => running.stop());
    const code = await running.end.finally(() => running.stop());
    if (code !== 0) throw new UserError(`Not all modules run what they were offered after ${flags.timeout} s`, code);
    process.exit(0);
  },
});
