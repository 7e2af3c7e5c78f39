import { authorityRetireCommand, authorityRotateCommand, authorityShowCommand } from './authority.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import type { CliCommand } from './define.ts';
import { migrateCommand } from './migrate.ts';
import { moduleCommand } from './module.ts';
import { serveCommand } from './serve.ts';
import { tokenAddCommand } from './token-add.ts';
import { upCommand } from './up-command.ts';
import { userAddCommand } from './user-add.ts';
import { userInviteCommand } from './user-invite.ts';
import { userPasswordCommand } from './user-password.ts';

/** What the groups of subcommands are about. */
export const groups: Readonly<Record<string, string>> = {
  user: 'Accounts of a service: make one, invite somebody, change a password',
  token: 'Bearer tokens, for programs',
  authority: 'The authority that devices trust: show it, replace it',
};

/** Every subcommand, in the order of the help. */
export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  moduleCommand,
  userAddCommand,
  userInviteCommand,
  userPasswordCommand,
  tokenAddCommand,
  authorityShowCommand,
  authorityRotateCommand,
  authorityRetireCommand,
  migrateCommand,
  backupCommand,
  restoreCommand,
];
