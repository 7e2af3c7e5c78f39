import type { CliCommand } from './define.ts';
import { moduleCommand } from './module.ts';
import { serveCommand } from './serve.ts';
import { upCommand } from './up.ts';

/** Every subcommand, in the order of the help. */
export const commands: readonly CliCommand[] = [upCommand, serveCommand, moduleCommand];
