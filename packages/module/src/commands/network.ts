import { sleep } from '@moorage/base';
import type { Command, SessionPort } from '../interpreter/command.ts';
import { codes, fail, ok, type Reply } from '../interpreter/reply.ts';
import type { AccessPoint } from '../wlan/air.ts';
import type { Interface } from '../wlan/wlan.ts';
import { type Board, defineCommand } from './board.ts';

const iface = {
  kind: 'value',
  flag: '-i',
  value: { kind: 'choice', choices: ['wlan', 'softap'], help: 'interface' },
  help: 'interface; network.default_interface without it',
} as const;

/** Commands that bring the network up and down. */
export const networkCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'network_up',
    shortcut: 'nup',
    group: 'network',
    spec: 'MOD-CMD-network_up',
    evidence: 'documented',
    summary: 'Bring a network interface up; the join goes on in the background',
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
    options: { iface },
    safeMode: true,
    run: (board, { iface: named }) => {
      const wanted = board.wlan.interfaceOf(named);
      return takeDown(board, wanted, () => bringUp(board, wanted));
    },
  }),
];

const success = (board: Board): Reply => ok(board.personality.text('success'));

/** Answers at once; what becomes of the join is told by notices. */
function bringUp(board: Board, wanted: Interface): Reply {
  const answer = board.wlan.up(wanted);
  if (answer === 'up') return success(board);
  return answer === 'joining' ? ok(board.personality.text('inProgress')) : fail(codes.FAILED);
}

/** The notices of closed connections come before that of the lost link. */
function takeDown(board: Board, wanted: Interface, then: () => Reply): Reply | Promise<Reply> {
  const finish = (): Reply => {
    board.wlan.down(wanted);
    return then();
  };
  const connected = wanted === 'wlan' && board.streams.list().length > 0;
  return connected ? board.streams.closeConnections().then(finish) : finish();
}

/** The dialogue of `network_up -s`: scan, number, password; the credentials are saved before the join. */
async function setUp(board: Board, session: SessionPort): Promise<Reply> {
  const { personality, variables, wlan } = board;
  board.log.say('scanning');
  const { scanMs } = board.timings;
  if (scanMs > 0) await sleep(board.clock, scanMs);
  const points = wlan.scan();
  // The table belongs to the question: it must be seen whatever the print level is.
  const question = [...scanTable(board, points), personality.text('askNetwork')].join('\r\n');
  const typed = await session.ask(question);
  if (typed === undefined) return fail(codes.FAILED);
  const point = /^\s*\d{1,3}\s*$/.test(typed) ? points[Number(typed)] : undefined;
  if (!point) return fail(codes.INVALID);
  const passkey = point.security === 'open' ? '' : await session.ask(personality.text('askPasskey'));
  if (passkey === undefined) return fail(codes.FAILED);
  if (!variables.assign(['wlan.passkey', passkey]).ok) return fail(codes.INVALID);
  variables.set('wlan.ssid', point.ssid);
  board.log.say('savingCredentials');
  await variables.save();
  wlan.down('wlan');
  return bringUp(board, 'wlan');
}

/** The table of `wlan_scan`. Spec: MOD-CMD-wlan_scan. */
const scanTable = (board: Board, points: readonly AccessPoint[]): readonly string[] => [
  board.personality.text('scanCount', { count: points.length }),
  board.personality.text('scanHead'),
  ...points.map((point, index) =>
    board.personality.row('scan', index, point.channel, point.rssiDbm, point.bssid, point.ssid),
  ),
];
