import { defineCliCommand, UserError } from './define.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const tokenAddCommand = defineCliCommand({
  name: 'add',
  parent: 'token',
  summary: 'Make a bearer token for an account; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address or user name of the account' }],
  options: withStorageOptions({
    title: { kind: 'text', placeholder: 'TITLE', help: 'what it is for', default: 'Command line' },
  }),
  async run({ options: { title }, sources, args: [name = ''], reporter }) {
    const { isTokenTitle } = await import('@moorage/service/administration');
    if (!isTokenTitle(title)) throw new UserError('Option --title must have 1 to 100 characters', 2);
    const made = await onStorage(sources, ({ addToken }, place) => addToken(place, name, title));
    if (!made.ok) throw new UserError(made.error.message);
    const token = made.value;
    reporter.event('token', { title, token }, `Token "${title}" of ${name}: ${token} (shown this once)`);
  },
});
