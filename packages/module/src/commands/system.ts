import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, silence } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';

const version = defineCommand({
  name: 'version',
  shortcut: 'ver',
  group: 'system',
  spec: 'MOD-CMD-version',
  evidence: 'seen',
  summary: 'Show the version of the firmware',
  example: 'version',
  safeMode: true,
  run: (board) => ok(board.variables.get('system.version')),
});

const reboot = defineCommand({
  name: 'reboot',
  shortcut: 'reboot',
  group: 'system',
  spec: 'MOD-CMD-reboot',
  evidence: 'seen',
  summary: 'Start the module again; what is not saved is lost',
  example: 'reboot',
  safeMode: true,
  run: (board) => ({ ...ok(board.personality.text('rebooting')), after: () => board.reboot() }),
});

const factoryReset = defineCommand({
  name: 'factory_reset',
  shortcut: 'fac',
  group: 'system',
  spec: 'MOD-CMD-factory_reset',
  evidence: 'spec',
  summary: 'Set all variables to their defaults and start again; files stay',
  example: 'factory_reset 4C:55:CC:10:78:9B',
  safeMode: true,
  args: { mac: { kind: 'word', help: 'MAC address of the module, as wlan.mac shows it' } },
  run: async (board, { mac }) => {
    // Spec: MOD-OPT-factory_reset-mac.
    if (mac.toUpperCase() !== board.identity.mac) return fail(codes.INVALID);
    // The answer is still framed by the settings of the host; the reboot brings the defaults.
    await board.variables.erase();
    const restart = (): Promise<void> => {
      board.log.say('rebooting');
      return board.reboot();
    };
    return { ...ok(board.personality.text('success')), after: restart };
  },
});

const sleep = defineCommand({
  name: 'sleep',
  shortcut: 'sleep',
  group: 'system',
  spec: 'MOD-CMD-sleep',
  evidence: 'documented',
  summary: 'Switch off until system.wakeup.timeout or a pin of system.wakeup.events; then start again',
  example: 'sleep',
  run: async (board) => {
    await board.sleep();
    // A sleeping module sends no response.
    return silence;
  },
});

export const systemCommands: readonly Command<Board>[] = [version, reboot, factoryReset, sleep];
