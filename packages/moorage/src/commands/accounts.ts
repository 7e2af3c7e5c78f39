import type { AccountRecord, ListedUserRecord } from '@moorage/api';
import { clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { type CliCommand, defineCliCommand, UserError } from '../command-line/define.ts';
import { reportRows } from '../command-line/table.ts';

const parent = 'accounts';
const userArgument = { name: 'USER', help: 'email address or user name' };

/** The account of an argument. @throws {UserError} when there is none */
async function accountNamed(service: ServiceClient, name: string): Promise<AccountRecord> {
  const wanted = name.toLowerCase();
  const found = await service.all((page) => service.call('users.list', { query: { ...page, q: wanted } }));
  const user = found.find(({ username, email }) => username === wanted || email === wanted);
  if (!user) throw new UserError(`Argument USER is "${name}": there is no such account`);
  return (await service.call('accounts.get', { params: { user_id: user.id } })).value;
}

const row = ({ username, email, role, organisation, disabled_at }: ListedUserRecord) => [
  username,
  email,
  role,
  organisation,
  disabled_at === null ? '' : 'disabled',
];

const listCommand = defineCliCommand({
  name: 'list',
  parent,
  summary: 'List the accounts of a service, as a table; administrators',
  options: {
    ...clientOptions,
    find: { kind: 'text', placeholder: 'TEXT', help: 'part of the user name, address, names or organisation' },
  },
  async run({ options, reporter }) {
    const service = await connect(options, [['q', 'Option --find']]);
    const { find } = options;
    const users = await service.all((page) =>
      service.call('users.list', { query: { ...page, ...(find !== undefined && { q: find }) } }),
    );
    const titles = ['user', 'email', 'role', 'organisation', 'standing'];
    reportRows(reporter, { event: 'account', titles, row }, users);
  },
});

/** A command that changes one account, and says what it is then. */
const change = (
  name: string,
  summary: string,
  body: { readonly role?: 'user' | 'admin'; readonly disabled?: boolean },
  now: string,
): CliCommand =>
  defineCliCommand({
    name,
    parent,
    summary,
    arguments: [userArgument],
    options: clientOptions,
    async run({ options, args: [user = ''], reporter }) {
      const service = await connect(options, []);
      const { id } = await accountNamed(service, user);
      const { value } = await service.call('accounts.update', { params: { user_id: id }, body });
      reporter.event('account', value, `Account ${value.username} ${now}`);
    },
  });

const passwordCommand = defineCliCommand({
  name: 'password',
  parent,
  summary: 'Give an account a new password, which is printed this once; its sessions end',
  arguments: [userArgument],
  options: clientOptions,
  async run({ options, args: [user = ''], reporter }) {
    const service = await connect(options, []);
    const { id, username } = await accountNamed(service, user);
    const { value } = await service.call('accounts.resetPassword', { params: { user_id: id } });
    reporter.event('password', { username, ...value }, `New password of ${username}: ${value.password}`);
  },
});

const endSessionsCommand = defineCliCommand({
  name: 'end-sessions',
  parent,
  summary: 'End all login sessions of an account',
  arguments: [userArgument],
  options: { ...clientOptions, tokens: { kind: 'switch', help: 'its tokens that were made by hand, too' } },
  async run({ options, args: [user = ''], reporter }) {
    const service = await connect(options, []);
    const { id, username } = await accountNamed(service, user);
    const input = { params: { user_id: id }, query: { tokens: options.tokens } };
    const { value } = await service.call('accounts.endSessions', input);
    reporter.event('ended', { username, ...value }, `${value.ended} of ${username} ended`);
  },
});

const factorResetCommand = defineCliCommand({
  name: 'factor-reset',
  parent,
  summary: 'Forget the second factor of an account, for somebody who has lost it; its sessions end',
  arguments: [userArgument],
  options: clientOptions,
  async run({ options, args: [user = ''], reporter }) {
    const service = await connect(options, []);
    const { id, username } = await accountNamed(service, user);
    await service.call('accounts.resetFactors', { params: { user_id: id } });
    reporter.event('factor-reset', { username }, `Account ${username} has no second factor now`);
  },
});

const deleteCommand = defineCliCommand({
  name: 'delete',
  parent,
  summary: 'Delete an account; what it owns goes to the heir',
  arguments: [userArgument],
  options: {
    ...clientOptions,
    heir: { kind: 'text', placeholder: 'USER', help: 'who gets its products, bundles and devices' },
  },
  async run({ options, args: [user = ''], reporter }) {
    const service = await connect(options, [['heir', 'Option --heir']]);
    const { id, username, owns } = await accountNamed(service, user);
    const { heir } = options;
    await service.call('accounts.remove', { params: { user_id: id }, query: { ...(heir !== undefined && { heir }) } });
    const { products, bundles, devices } = owns;
    const given =
      heir === undefined ? '' : `; ${products} products, ${bundles} bundles and ${devices} devices went to ${heir}`;
    reporter.event('deleted', { username, heir: heir ?? null, owns }, `Account ${username} deleted${given}`);
  },
});

/** Accounts of a service, for administrators. */
export const accountsCommands: readonly CliCommand[] = [
  listCommand,
  change('disable', 'Keep an account out: neither its password nor its tokens work', { disabled: true }, 'is disabled'),
  change('enable', 'Let a disabled account in again', { disabled: false }, 'may come in'),
  change('promote', 'Make an account an administrator', { role: 'admin' }, 'is an administrator'),
  change('demote', 'Take the rights of an administrator from an account', { role: 'user' }, 'is no administrator'),
  passwordCommand,
  endSessionsCommand,
  factorResetCommand,
  deleteCommand,
];
