import { defineCliCommand, UserError } from '../command-line/define.ts';
import { roles, wordOf } from '../command-line/words.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const userAddCommand = defineCliCommand({
  name: 'add',
  parent: 'user',
  summary: 'Make an account; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address to log in with' }],
  options: withStorageOptions({
    role: { kind: 'text', placeholder: 'ROLE', help: 'user or admin', default: 'user' },
    password: {
      kind: 'text',
      placeholder: 'PASSWORD',
      help: 'at least 12 characters',
      secret: true,
      defaultText: 'random, printed once',
    },
  }),
  async run({ options, sources, args: [email = ''], reporter }) {
    const administration = await import('@moorage/service/administration');
    const password = options.password ?? administration.newPassword();
    if (!administration.isEmail(email)) throw new UserError(`"${email}" is not an email address`, 2);
    const role = wordOf(roles, options.role, 'Option --role');
    const made = await onStorage(sources, ({ addUser }, place) => addUser(place, { email, password }, role));
    if (!made.ok) throw new UserError(made.error.message, made.error.code === 'WEAK_PASSWORD' ? 2 : 1);
    const { id, username } = made.value;
    const shown = options.password === undefined ? { password } : {};
    reporter.event(
      'user',
      { id, email: made.value.email, username, role, ...shown },
      `Account ${made.value.email} made, user name ${username}, role ${role}` +
        (options.password === undefined ? `\nPassword: ${password} (shown this once)` : ''),
    );
  },
});
