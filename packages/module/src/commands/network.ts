import type { Interface } from '@moorage/net';
import type { Command, SessionPort } from '../interpreter/command.ts';
import { codes, fail, ok, type Reply } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { interfaceOption as iface } from './interface-option.ts';
import { takeDown } from './network-down.ts';
import { scanTable } from './scan-table.ts';

/** Commands that bring the network up and down. */
export const networkCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'network_up',
    shortcut: 'nup',
    group: 'network',
    spec: 'MOD-CMD-network_up',
    evidence: 'documented',
    summary: 'Bring a network interface up; the join goes on in the background',
    example: 'network_up -i wlan',
    waitsFor: 'scan, answers of the user, soft AP',
    options: { setup: { kind: 'switch', flag: '-s', help: 'choose the network and type its password first' }, iface },
    safeMode: true,
    run: (board, { setup, iface: named }, session) => {
      const wanted = board.wlan.interfaceOf(named);
      return setup && wanted === 'wlan' ? setUp(board, session) : bringUp(board, wanted);
    },
  }),
  defineCommand({
    name: 'network_down',
    shortcut: 'ndo',
    group: 'network',
    spec: 'MOD-CMD-network_down',
    evidence: 'documented',
    summary: 'Close all connections and take a network interface down',
    example: 'network_down -i wlan',
    options: { iface },
    safeMode: true,
    run: (board, { iface: named }) => takeDown(board, board.wlan.interfaceOf(named), () => success(board)),
  }),
  defineCommand({
    name: 'network_restart',
    shortcut: 'nre',
    group: 'network',
    spec: 'MOD-CMD-network_restart',
    evidence: 'documented',
    summary: 'Take a network interface down and bring it up again',
    example: 'network_restart -i wlan',
    options: { iface },
    safeMode: true,
    run: (board, { iface: named }) => {
      const wanted = board.wlan.interfaceOf(named);
      return takeDown(board, wanted, () => bringUp(board, wanted));
    },
  }),
];

const success = (board: Board): Reply => ok(board.personality.text('success'));

/** A join is answered at once: notices report its outcome. The soft AP is there when its services are. */
function bringUp(board: Board, wanted: Interface): Reply | Promise<Reply> {
  if (wanted === 'softap' && !board.wlan.isUp('softap')) return startSoftAp(board);
  const answer = board.wlan.up(wanted);
  if (answer === 'up') return success(board);
  return answer === 'joining' ? ok(board.personality.text('inProgress')) : fail(codes.FAILED);
}

async function startSoftAp(board: Board): Promise<Reply> {
  const started = await board.wlan.ensureUp('softap');
  return started.ok ? success(board) : fail(codes.FAILED);
}

/** The dialogue of `network_up -s`: scan, number, password; the credentials are saved before the join. */
async function setUp(board: Board, session: SessionPort): Promise<Reply> {
  const { log, personality, variables, wlan } = board;
  log.say('scanning');
  const scanned = await wlan.survey.scan();
  if (!scanned.ok) {
    log.say('radioBusy');
    return fail(codes.FAILED);
  }
  // The table belongs to the question: it must be seen whatever the print level is.
  const question = [...scanTable(board, scanned.value), personality.text('askNetwork')].join('\r\n');
  const typed = await session.ask(question);
  if (typed === undefined) return fail(codes.FAILED);
  const chosen = /^\s*\d{1,3}\s*$/.test(typed) ? scanned.value[Number(typed)] : undefined;
  // A hidden network has no name to join it by.
  if (!chosen || chosen.ssid === '') return fail(codes.INVALID);
  const passkey = chosen.point.security === 'open' ? '' : await session.ask(personality.text('askPasskey'));
  if (passkey === undefined) return fail(codes.FAILED);
  if (!variables.assign(['wlan.passkey', passkey]).ok) return fail(codes.INVALID);
  variables.set('wlan.ssid', chosen.ssid);
  log.say('savingCredentials');
  await variables.save();
  wlan.down('wlan');
  return bringUp(board, 'wlan');
}
