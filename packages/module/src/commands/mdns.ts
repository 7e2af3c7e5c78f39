import { discoverServices } from '@moorage/net/dns/mdns-browser';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, type Response } from '../interpreter/reply.ts';
import { serviceType } from '../services/mdns-records.ts';
import { netReason } from '../texts/reasons.ts';
import { type Board, defineCommand } from './board.ts';

async function discover(board: Board, type: string | undefined): Promise<Response> {
  const { log, net, personality, variables, wlan } = board;
  if (!variables.get('mdns.enabled')) {
    log.say('mdnsOff');
    return fail(codes.FAILED);
  }
  const up = await wlan.ensureUp(wlan.interfaceOf(variables.get('mdns.interface')));
  if (!up.ok) return fail(codes.FAILED);
  const found = await discoverServices({ clock: board.hostClock ?? board.clock, net }, type);
  if (!found.ok) {
    log.say('serviceNotStarted', { service: 'mDNS', detail: netReason(found.error) });
    return fail(codes.FAILED);
  }
  return lines([
    personality.text('serviceCount', { count: found.value.length }),
    personality.text('serviceHead'),
    ...found.value.map(({ name, ip, port }, index) => personality.row('services', index, name, ip, port)),
  ]);
}

export const mdnsCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'mdns_discover',
    shortcut: 'mdns',
    group: 'network',
    spec: 'MOD-CMD-mdns_discover',
    evidence: 'documented',
    summary: 'List services on the network',
    example: 'mdns_discover http',
    waitsFor: 'join, responders',
    args: { service: { kind: 'word', optional: true, help: 'type of service such as http; all types without it' } },
    run: (board, { service }) => {
      const type = service === undefined ? undefined : serviceType(service);
      if (service !== undefined && type === undefined) return fail(codes.INVALID);
      return discover(board, type);
    },
  }),
];
