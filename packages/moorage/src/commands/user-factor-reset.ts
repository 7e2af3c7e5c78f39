import { defineCliCommand, UserError } from '../command-line/define.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const userFactorResetCommand = defineCliCommand({
  name: 'factor-reset',
  parent: 'user',
  summary: 'Forget the second factor of an account and end its sessions; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address or user name of the account' }],
  options: withStorageOptions({}),
  async run({ sources, args: [name = ''], reporter }) {
    const reset = await onStorage(sources, ({ resetFactorsOf }, place) => resetFactorsOf(place, name));
    if (!reset.ok) throw new UserError(reset.error.message);
    const { id, email, username } = reset.value;
    reporter.event('user', { id, email, username }, `Account ${email} has no second factor now`);
  },
});
