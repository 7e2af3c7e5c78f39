import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, silence } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';

const exit = defineCommand({
  name: 'exit',
  shortcut: 'exit',
  group: 'system',
  spec: 'MOD-CMD-exit',
  evidence: 'spec',
  summary: 'Leave command mode for stream mode',
  example: 'exit',
  safeMode: true,
  run: (board) => {
    // Spec: MOD-STATE-2. The notice is all that is printed: what follows it on the line is data.
    if (board.bus.exit()) return silence;
    board.log.say('noStreamMode');
    return fail(codes.FAILED);
  },
});

const uartUpdate = defineCommand({
  name: 'uart_update',
  shortcut: 'uartu',
  group: 'system',
  spec: 'MOD-CMD-uart_update',
  evidence: 'inferred',
  summary: 'Set a UART as uart.* says, without a restart',
  example: 'uart_update 0',
  args: { uart: { kind: 'int', min: 0, max: 1, help: 'number of the UART' } },
  run: (board, { uart }) => ({
    // The answer still goes out at the old rate.
    ...ok(board.personality.text('success')),
    after: () => board.bus.applyUart(uart === 0 ? 0 : 1),
  }),
});

/** Commands of the serial bus. */
export const busCommands: readonly Command<Board>[] = [exit, uartUpdate];
