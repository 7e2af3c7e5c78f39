import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, ok, type Reply } from '../interpreter/reply.ts';
import { parseValue, ssid as ssidKind } from '../variables/kinds.ts';
import { securityWords } from '../wlan/air.ts';
import { type Board, defineCommand } from './board.ts';
import { takeDown } from './network-down.ts';
import { scanTable } from './scan-table.ts';

const noPins = { gpioCount: 0 };

/** A network's name as typed: `\xHH` stands for a byte. */
function ssidOf(text: string): string | undefined {
  const value = parseValue(ssidKind, [text], noPins);
  return value.ok ? String(value.value) : undefined;
}

/** Commands that use the radio without joining. */
export const radioCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'wlan_scan',
    shortcut: 'scan',
    group: 'network',
    spec: 'MOD-CMD-wlan_scan',
    evidence: 'seen',
    summary: 'List the networks within reach',
    example: 'wlan_scan -v 6',
    waitsFor: 'scan',
    options: { verbose: { kind: 'switch', flag: '-v', help: 'with rate and security' } },
    args: {
      first: { kind: 'word', optional: true, help: 'channel, 0 for all; or the name of a network' },
      name: { kind: 'word', optional: true, help: 'name of a network' },
    },
    syntax: 'wlan_scan [-v] [<channel>] [<ssid>]',
    run: (board, { verbose, first, name }) => {
      // A network whose name is a number is found behind the channel 0.
      const hasChannel = name !== undefined || /^\d{1,2}$/.test(first ?? '');
      const channel = hasChannel && first !== undefined ? Number(first) : 0;
      if (!(channel >= 0 && channel <= 14)) return fail(codes.INVALID);
      const wanted = hasChannel ? name : first;
      const ssid = wanted === undefined ? undefined : ssidOf(wanted);
      if (wanted !== undefined && ssid === undefined) return fail(codes.INVALID);
      return scan(board, { verbose, channel: channel || undefined, ssid });
    },
  }),
  defineCommand({
    name: 'wlan_get_rssi',
    shortcut: 'rssi',
    group: 'network',
    spec: 'MOD-CMD-wlan_get_rssi',
    evidence: 'seen',
    summary: 'Signal strength of the link, in dBm',
    example: 'wlan_get_rssi',
    run: ({ log, wlan }) => {
      const { rssiDbm } = wlan;
      if (rssiDbm !== undefined) return ok(String(rssiDbm));
      log.say('notAssociated');
      return fail(codes.FAILED);
    },
  }),
  defineCommand({
    name: 'network_verify',
    shortcut: 'nve',
    group: 'network',
    spec: 'MOD-CMD-network_verify',
    evidence: 'seen',
    summary: 'Try credentials without storing them',
    example: 'network_verify wifi harbour 4C55CC10789B 6 4 "open sea"',
    waitsFor: 'access point',
    args: {
      kind: { kind: 'choice', choices: ['wifi'], help: 'kind of network' },
      name: { kind: 'word', help: 'name of the network' },
      bssid: { kind: 'word', help: 'access point: 12 hex digits without colons' },
      channel: { kind: 'int', min: 1, max: 14, help: 'channel' },
      security: {
        kind: 'int',
        min: 0,
        max: securityWords.length - 1,
        optional: true,
        help: `number of the security: ${securityWords.map((word, index) => `${index} ${word}`).join(', ')}`,
      },
      key: { kind: 'word', maxLength: 64, optional: true, help: 'key: 64 hex digits for WPA' },
    },
    run: async (board, { name, bssid, channel, security = 0, key }) => {
      const ssid = ssidOf(name);
      if (ssid === undefined || ssid === '' || !/^[0-9a-f]{12}$/i.test(bssid)) return fail(codes.INVALID);
      const word = securityWords[security];
      if (word === undefined || (word !== 'open' && key === undefined)) return fail(codes.TOO_FEW);
      const colons = bssid.toUpperCase().replace(/..(?=.)/g, '$&:');
      const wanted = { ssid, bssid: colons, channel, security: word, passkey: key ?? '' };
      return (await board.wlan.survey.verify(wanted)) ? ok(board.personality.text('success')) : fail(codes.FAILED);
    },
  }),
  defineCommand({
    name: 'wps',
    shortcut: 'wps',
    group: 'network',
    spec: 'MOD-CMD-wps',
    evidence: 'documented',
    summary: 'Take name and key of a network from an access point whose WPS button is pressed',
    example: 'wps',
    waitsFor: 'access point',
    args: { pin: { kind: 'word', optional: true, help: 'PIN of the access point instead of its button' } },
    run: (board, { pin }, { signal }) => {
      if (pin !== undefined && !/^(\d{4}|\d{8})$/.test(pin)) return fail(codes.INVALID);
      // The radio leaves its network for the search.
      return takeDown(board, 'wlan', () => wps(board, pin, signal));
    },
  }),
];

interface ScanWish {
  readonly verbose: boolean;
  readonly channel: number | undefined;
  readonly ssid: string | undefined;
}

async function scan(board: Board, { verbose, channel, ssid }: ScanWish): Promise<Reply> {
  const { log, wlan } = board;
  log.say(wlan.survey.isBusy ? 'radioBusy' : 'scanStarted');
  const heard = await wlan.survey.scan({ channel, ssid });
  return heard.ok ? lines(scanTable(board, heard.value, verbose)) : fail(codes.FAILED);
}

async function wps(board: Board, pin: string | undefined, signal: AbortSignal): Promise<Reply> {
  const { log, personality, variables, wlan } = board;
  log.say('wpsStarted');
  const found = await wlan.survey.wps(pin, signal);
  if (signal.aborted) return fail(codes.FAILED);
  if (!found.ok) {
    log.say(found.error === 'overlap' ? 'wpsOverlap' : 'wpsFailed');
    return fail(codes.FAILED);
  }
  const { ssid, passkey } = found.value;
  log.say('wpsReceived', { ssid });
  if (!variables.assign(['wlan.passkey', passkey]).ok) return fail(codes.FAILED);
  variables.set('wlan.ssid', ssid);
  return ok(personality.text('success'));
}
