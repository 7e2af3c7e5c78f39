import { backupCommand, restoreCommand } from './backup.ts';
import type { CliCommand } from './define.ts';
import { migrateCommand } from './migrate.ts';
import { moduleCommand } from './module.ts';
import { serveCommand } from './serve.ts';
import { tokenAddCommand } from './token-add.ts';
import { upCommand } from './up-command.ts';
import { userAddCommand } from './user-add.ts';
import { userPasswordCommand } from './user-password.ts';

/** Every subcommand, in the order of the help. */
export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  moduleCommand,
  userAddCommand,
  userPasswordCommand,
  tokenAddCommand,
  migrateCommand,
  backupCommand,
  restoreCommand,
];
