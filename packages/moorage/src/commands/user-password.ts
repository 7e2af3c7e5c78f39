import { defineCliCommand, UserError } from '../command-line/define.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const userPasswordCommand = defineCliCommand({
  name: 'password',
  parent: 'user',
  summary: 'Give an account another password and end its sessions; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address or user name of the account' }],
  options: withStorageOptions({
    password: {
      kind: 'text',
      placeholder: 'PASSWORD',
      help: 'at least 12 characters',
      secret: true,
      defaultText: 'random, printed once',
    },
  }),
  async run({ options, sources, args: [name = ''], reporter }) {
    const { newPassword } = await import('@moorage/service/administration');
    const password = options.password ?? newPassword();
    const changed = await onStorage(sources, ({ changeUserPassword }, place) =>
      changeUserPassword(place, name, password),
    );
    if (!changed.ok) throw new UserError(changed.error.message, changed.error.code === 'WEAK_PASSWORD' ? 2 : 1);
    const { id, email, username } = changed.value;
    const shown = options.password === undefined ? { password } : {};
    reporter.event(
      'user',
      { id, email, username, ...shown },
      options.password === undefined
        ? `Password of ${email} changed: ${password} (shown this once)`
        : `Password of ${email} changed`,
    );
  },
});
