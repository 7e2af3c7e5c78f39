import type { Command } from '../interpreter/command.ts';
import { analogCommands } from './analog.ts';
import type { Board } from './board.ts';
import { dmsCommands } from './dms.ts';
import { faultCommands } from './faults.ts';
import { fileCommands } from './files.ts';
import { gpioCommands } from './gpio.ts';
import { helpCommands } from './help.ts';
import { networkCommands } from './network.ts';
import { setupCommands } from './setup.ts';
import { streamCommands } from './streams.ts';
import { systemCommands } from './system.ts';
import { variableCommands } from './variables.ts';

/** Every command of the module. */
export const allCommands: readonly Command<Board>[] = [
  ...analogCommands,
  ...dmsCommands,
  ...faultCommands,
  ...fileCommands,
  ...gpioCommands,
  ...helpCommands,
  ...networkCommands,
  ...setupCommands,
  ...streamCommands,
  ...systemCommands,
  ...variableCommands,
];
