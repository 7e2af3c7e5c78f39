import type { Interface } from '@moorage/net';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Reply } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { interfaceOption } from './interface-option.ts';

/** How long a ping waits for its answer. */
const pingTimeoutMs = 3_000;

const noAddress = '0.0.0.0';

/** Commands that ask the network about a host. */
export const lookupCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'network_lookup',
    shortcut: 'nlo',
    group: 'network',
    spec: 'MOD-CMD-network_lookup',
    evidence: 'seen',
    summary: 'IPv4 address of a host',
    example: 'network_lookup files.example',
    waitsFor: 'join, name server',
    options: { iface: interfaceOption },
    args: { host: { kind: 'word', maxLength: 128, help: 'name of the host' } },
    run: async (board, { iface, host }) => {
      // Spec: MOD-NET-auto-up.
      if (!(await isUp(board, iface))) return fail(codes.FAILED);
      const found = await board.net.resolve(host);
      if (found.ok) return ok(found.value);
      board.log.say('hostNotFound', { host });
      return fail(codes.FAILED);
    },
  }),
  defineCommand({
    name: 'ping',
    shortcut: 'ping',
    group: 'network',
    spec: 'MOD-CMD-ping',
    evidence: 'seen',
    summary: 'Round trip to a host',
    example: 'ping files.example',
    waitsFor: 'join, echo',
    options: {
      iface: interfaceOption,
      gateway: { kind: 'switch', flag: '-g', help: 'the gateway, as without a host' },
    },
    args: { host: { kind: 'word', maxLength: 128, optional: true, help: 'name or address of the host' } },
    run: async (board, { iface, gateway, host }) => {
      if (gateway && host !== undefined) return fail(codes.TOO_MANY);
      // Spec: MOD-NET-auto-up.
      if (!(await isUp(board, iface))) return fail(codes.FAILED);
      return ping(board, host ?? gatewayOf(board, board.wlan.interfaceOf(iface)));
    },
  }),
];

const isUp = async ({ wlan }: Board, named: string | undefined): Promise<boolean> =>
  (await wlan.ensureUp(wlan.interfaceOf(named))).ok;

const gatewayOf = ({ wlan }: Board, iface: Interface): string =>
  (iface === 'softap' ? wlan.softAp?.addresses.gateway : wlan.addresses.gateway) ?? noAddress;

async function ping({ log, net, personality }: Board, host: string): Promise<Reply> {
  const answer = host === noAddress ? undefined : await net.ping(host, pingTimeoutMs);
  if (answer?.ok) return ok(personality.text('pingReply', { ms: Math.round(answer.value) }));
  log.say('pingFailed');
  return fail(codes.FAILED);
}
