import { invitationDays } from '@moorage/api';
import { defined } from '@moorage/base';
import { settingsTable } from '@moorage/service/engine/settings/settings';
import { type CliCommand, defineCliCommand, UserError } from '../command-line/define.ts';
import { checkCount, roles, wordOf } from '../command-line/words.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

const passwordOption = {
  kind: 'text',
  placeholder: 'PASSWORD',
  help: 'at least 12 characters',
  secret: true,
  defaultText: 'random, printed once',
} as const;

const roleOption = { kind: 'text', placeholder: 'ROLE', help: 'user or admin', default: 'user' } as const;

/** What the link begins with, and whether there are links at all. */
const linkOptions = Object.fromEntries(
  (['public-url', 'host', 'port', 'sign-up'] as const).map((name) => [name, settingsTable[name]]),
);

const userAddCommand = defineCliCommand({
  name: 'add',
  parent: 'user',
  summary: 'Make an account; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address to log in with' }],
  options: withStorageOptions({
    role: roleOption,
    password: passwordOption,
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

const userInviteCommand = defineCliCommand({
  name: 'invite',
  parent: 'user',
  summary: 'Make a link by which one account can be made; the service may be running',
  options: withStorageOptions({
    ...linkOptions,
    email: { kind: 'text', placeholder: 'EMAIL', help: 'the only address that it is for', defaultText: 'any' },
    role: roleOption,
    days: { kind: 'count', placeholder: 'DAYS', help: 'how long it is good', default: invitationDays.usual },
  }),
  async run({ options, sources, reporter }) {
    const { isEmail } = await import('@moorage/service/administration');
    const { email, days } = options;
    if (email !== undefined && !isEmail(email))
      throw new UserError(`Option --email is "${email}", not an email address`, 2);
    const role = wordOf(roles, options.role, 'Option --role');
    checkCount('days', days, invitationDays.most);
    const made = await onStorage(sources, async ({ inviteUser }, settings) => {
      const { publicUrl = `http://${settings.host}:${settings.port}` } = settings;
      const invited = await inviteUser(settings, defined({ email, role, days }));
      if (!invited.ok) throw new UserError(invited.error.message);
      return { ...invited.value, link: `${publicUrl}/sign-up#${encodeURIComponent(invited.value.token)}` };
    });
    const until = new Date(made.row.expires_at).toISOString();
    reporter.event(
      'invitation',
      { id: made.row.id, email: made.row.email, role, link: made.link, expires_at: until },
      `Invitation for ${made.row.email ?? 'one account'}, role ${role}, until ${until}: ${made.link} (shown this once)`,
    );
  },
});

const userPasswordCommand = defineCliCommand({
  name: 'password',
  parent: 'user',
  summary: 'Give an account another password and end its sessions; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address or user name of the account' }],
  options: withStorageOptions({
    password: passwordOption,
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

const userFactorResetCommand = defineCliCommand({
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

export const userCommands: readonly CliCommand[] = [
  userAddCommand,
  userInviteCommand,
  userPasswordCommand,
  userFactorResetCommand,
];
