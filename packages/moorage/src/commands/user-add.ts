import { addUser, isEmail, isNewPassword, newPassword } from '@moorage/service/administration';
import { defineCliCommand, UserError } from './define.ts';
import { readServiceSettings } from './serve.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

const roles = ['user', 'admin'] as const;

/** The same rules as those of signing up. */
function checkAccount(email: string, password: string, role: string): asserts role is (typeof roles)[number] {
  if (!isEmail(email)) throw new UserError(`"${email}" is not an email address`, 2);
  if (!isNewPassword(password)) throw new UserError('Option --password must have at least 8 characters', 2);
  if (!roles.some((one) => one === role)) {
    throw new UserError(`Option --role is "${role}", not one of ${roles.join(', ')}`, 2);
  }
}

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
      help: 'at least 8 characters; better in MOORAGE_PASSWORD, which no list of processes shows',
      defaultText: 'random, printed once',
    },
  }),
  async run({ options, sources, args: [email = ''], reporter }) {
    const { role } = options;
    const password = options.password ?? newPassword();
    checkAccount(email, password, role);
    const made = await onStorage(() => addUser(readServiceSettings(sources), { email, password }, role));
    if (!made.ok) throw new UserError(made.error.message);
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
