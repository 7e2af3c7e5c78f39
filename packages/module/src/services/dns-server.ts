import { ignoreFailure } from '@moorage/base';
import type { DatagramSocket } from '@moorage/net';
import { blankResponse, type DnsMessage, readDns, sameName, writeDns } from '@moorage/net/dns/dns-message';
import { netReason } from '../texts/reasons.ts';
import type { NetworkService, ServiceParts } from './service.ts';

export const dnsPort = 53;

const ttlSeconds = 60;
const rcodes = { ok: 0, formatError: 1, noSuchName: 3, notImplemented: 4 } as const;

/**
 * The answer to a client of the soft AP: the module's address for its own names, no such name for all others. A question
 * for another type than an address has an answer without records. Reference: network 2.3.
 */
export function dnsAnswer(query: DnsMessage, names: readonly string[], ip: string): DnsMessage | undefined {
  if (query.isResponse) return undefined;
  const { id, questions } = query;
  const answer = (rcode: number, answers: DnsMessage['answers'] = []): DnsMessage => ({
    ...blankResponse,
    id,
    opcode: query.opcode,
    questions,
    rcode,
    answers,
  });
  if (query.opcode !== 0) return answer(rcodes.notImplemented);
  const [question] = questions;
  if (!question || questions.length > 1) return answer(rcodes.formatError);
  if (!names.some((name) => sameName(name, question.name))) return answer(rcodes.noSuchName);
  const asksAddress = question.type === 'A' || question.type === 'ANY';
  const address = { name: question.name, type: 'A', ttl: ttlSeconds, data: ip } as const;
  return answer(rcodes.ok, asksAddress ? [address] : []);
}

/** The names that lead its stations to the module. Spec: MOD-VAR-softap.dns_server.url, MOD-VAR-setup.web.url. */
export const stationNames = ({ variables, webSetup }: Pick<ServiceParts, 'variables' | 'webSetup'>) =>
  variables
    .get(webSetup.active ? 'setup.web.url' : 'softap.dns_server.url')
    .split(',')
    .filter((name) => name !== '');

/** Answers the stations of the soft AP. Spec: MOD-RULE-dhcp-server. */
export const dnsServerService: NetworkService = {
  name: 'dns-server',
  spec: 'MOD-RULE-dhcp-server',
  // Spec: MOD-VAR-softap.dns_server.enabled. Web setup cannot do without it.
  wanted: ({ variables, webSetup }) =>
    variables.get('softap.dns_server.enabled') || webSetup.active ? ['softap'] : [],
  async start(parts) {
    const ip = parts.wlan.softAp?.addresses.ip ?? '0.0.0.0';
    const names = stationNames(parts);
    let socket: DatagramSocket | undefined;
    const opened = await parts.net.datagrams({ port: dnsPort }, ({ bytes, address, port }) => {
      const query = readDns(bytes);
      const answer = query && dnsAnswer(query, names, ip);
      // A response that is lost is requested again.
      if (answer) ignoreFailure(socket?.send(writeDns(answer), address, port));
    });
    if (!opened.ok) {
      parts.log.say('serviceNotStarted', { service: 'DNS server', detail: netReason(opened.error) });
      return undefined;
    }
    socket = opened.value;
    return { stop: () => opened.value.close() };
  },
};
