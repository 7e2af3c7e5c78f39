import type { CliCommand } from '../command-line/define.ts';
import { accountsCommands } from './accounts.ts';
import { auditCommands } from './audit.ts';
import { authorityRetireCommand, authorityRotateCommand, authorityShowCommand } from './authority.ts';
import {
  bundlesArchiveCommand,
  bundlesCreateCommand,
  bundlesListCommand,
  bundlesPublishCommand,
  bundlesTagCommand,
} from './bundles.ts';
import { completionCommandOf } from './completion.ts';
import { consoleCommand } from './console.ts';
import { devicesCommand } from './devices.ts';
import { filesGetCommand, filesListCommand, filesPutCommand, filesRemoveCommand } from './files.ts';
import { fleetCommand } from './fleet.ts';
import { gatewayFindCommand } from './gateway-find.ts';
import { gatewayRunCommand } from './gateway-run.ts';
import { gatewayScrubCommand } from './gateway-scrub.ts';
import { labelCommand } from './label.ts';
import { loginCommand, logoutCommand } from './login.ts';
import { logsCommand } from './logs.ts';
import { moduleCommand } from './module.ts';
import { moduleRecorderCommands } from './module-recorder.ts';
import { productsCommand } from './products.ts';
import { rehearseCommand } from './rehearse.ts';
import { rescueCommand } from './rescue.ts';
import { rolloutCreateCommand, rolloutListCommand, rolloutPreviewCommand, rolloutShowCommand } from './rollout.ts';
import {
  rolloutActCommands,
  rolloutLeaveOutCommand,
  rolloutRetryCommand,
  rolloutRollBackCommand,
  rolloutSignalCommand,
  rolloutStopCommand,
  rolloutThawCommand,
} from './rollout-acts.ts';
import { rolloutDefaultCommand, rolloutTemplatesCommand } from './rollout-templates.ts';
import { rolloutWatchCommand } from './rollout-watch.ts';
import { serveCommand } from './serve.ts';
import { serviceInstallCommand, serviceStatusCommand, serviceUninstallCommand } from './service.ts';
import { serviceAccountCommands } from './service-accounts.ts';
import { backupCommand, checkCommand, migrateCommand, restoreCommand } from './storage.ts';
import { tokenAddCommand } from './token-add.ts';
import { upCommand } from './up-command.ts';
import { userCommands } from './users.ts';

/** What the groups of subcommands are about. */
export const groups: Readonly<Record<string, string>> = {
  accounts: 'Accounts of a service that runs, for administrators: list, disable, delete',
  audit: 'Who has changed what in a service: list, export, check',
  user: 'Accounts of a service: make one, invite somebody, change a password',
  token: 'Bearer tokens, for programs',
  'service-account': 'Accounts of programs that belong to a product',
  bundles: 'Bundles of a product: create from a folder, publish, tag',
  files: 'Files of a device or a product in the service',
  gateway: 'Real modules as they are: find them, stand for them at a service',
  rollout: 'Updates in stages that stop by themselves: draft, start, watch, stop',
  service: 'The service under systemd: install it, take it away, see how it is',
  authority: 'The authority that devices trust: show it, replace it',
};

/** Every subcommand, in the order of the help. */
export const commands: readonly CliCommand[] = [
  upCommand,
  serveCommand,
  moduleCommand,
  ...moduleRecorderCommands,
  fleetCommand,
  rehearseCommand,
  rescueCommand,
  gatewayRunCommand,
  gatewayFindCommand,
  gatewayScrubCommand,
  ...userCommands,
  tokenAddCommand,
  authorityShowCommand,
  authorityRotateCommand,
  authorityRetireCommand,
  loginCommand,
  logoutCommand,
  ...accountsCommands,
  ...auditCommands,
  ...serviceAccountCommands,
  productsCommand,
  bundlesListCommand,
  bundlesCreateCommand,
  bundlesArchiveCommand,
  bundlesPublishCommand,
  bundlesTagCommand,
  devicesCommand,
  labelCommand,
  consoleCommand,
  logsCommand,
  filesListCommand,
  filesGetCommand,
  filesPutCommand,
  filesRemoveCommand,
  rolloutCreateCommand,
  rolloutPreviewCommand,
  rolloutListCommand,
  rolloutShowCommand,
  rolloutWatchCommand,
  ...rolloutActCommands,
  rolloutRollBackCommand,
  rolloutLeaveOutCommand,
  rolloutRetryCommand,
  rolloutSignalCommand,
  rolloutStopCommand,
  rolloutThawCommand,
  rolloutTemplatesCommand,
  rolloutDefaultCommand,
  migrateCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
  serviceInstallCommand,
  serviceUninstallCommand,
  serviceStatusCommand,
  completionCommandOf(() => commands, groups),
];
