import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, ok } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';

const faultsPrint = defineCommand({
  name: 'faults_print',
  shortcut: 'faup',
  group: 'system',
  spec: 'MOD-CMD-faults_print',
  evidence: 'documented',
  summary: 'List the faults that are stored',
  example: 'faults_print',
  safeMode: true,
  run: ({ faults, personality }) => {
    const rows = faults.names.map((name, index) => personality.text('faultRow', { index, name }));
    return lines(rows.length > 0 ? rows : [personality.text('none')]);
  },
});

const faultsReset = defineCommand({
  name: 'faults_reset',
  shortcut: 'faur',
  group: 'system',
  spec: 'MOD-CMD-faults_reset',
  evidence: 'spec',
  summary: 'Forget all faults; a module in safe mode leaves it with the next reboot',
  example: 'faults_reset',
  safeMode: true,
  run: async (board) => {
    await board.faults.reset();
    return ok(board.personality.text('success'));
  },
});

const forceSafeMode = defineCommand({
  name: 'force_safemode',
  shortcut: 'force_safemode',
  group: 'system',
  spec: 'MOD-CMD-force_safemode',
  evidence: 'spec',
  summary: 'Start again in safe mode',
  example: 'force_safemode 4C:55:CC:10:78:9B',
  // Spec: MOD-OPT-force_safemode-mac.
  hidden: true,
  safeMode: true,
  args: { mac: { kind: 'word', help: 'MAC address of the module, as wlan.mac shows it' } },
  run: async (board, { mac }) => {
    if (mac.toUpperCase() !== board.identity.mac) return fail(codes.INVALID);
    // Spec: MOD-STATE-4.
    await board.faults.fill();
    return { ...ok(board.personality.text('forcingSafeMode')), after: () => board.reboot() };
  },
});

export const faultCommands: readonly Command<Board>[] = [faultsPrint, faultsReset, forceSafeMode];
