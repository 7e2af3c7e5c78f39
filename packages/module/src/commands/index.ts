import type { Command } from '../interpreter/command.ts';
import type { Board } from './board.ts';
import { dmsCommands } from './dms.ts';
import { fileCommands } from './files.ts';
import { helpCommands } from './help.ts';
import { networkCommands } from './network.ts';
import { streamCommands } from './streams.ts';
import { systemCommands } from './system.ts';
import { variableCommands } from './variables.ts';

/** Every command of the module. */
export const allCommands: readonly Command<Board>[] = [
  ...dmsCommands,
  ...fileCommands,
  ...helpCommands,
  ...networkCommands,
  ...streamCommands,
  ...systemCommands,
  ...variableCommands,
];
