import { ignoreFailure } from '@moorage/base';
import type { Datagram, DatagramSocket } from '@moorage/net';
import { blankResponse, type DnsMessage, plainName, readDns, sameName, writeDns } from '@moorage/net/dns/dns-message';
import { netReason } from '../texts/reasons.ts';
import { addressOf, hostName, nameInterfaces } from './host-name.ts';
import { hostTtlSeconds } from './mdns-records.ts';
import type { NetworkService } from './service.ts';

export const llmnrGroup = '224.0.0.252';
export const llmnrPort = 5355;

/**
 * The answer to a query for the module's own single-label name; `undefined` for anything else (RFC 4795). A question
 * for another type than an address gets an answer without records: the name is there. Spec: MOD-RULE-llmnr.
 */
export function llmnrAnswer(query: DnsMessage, name: string, ip: string): DnsMessage | undefined {
  const [question] = query.questions;
  if (query.isResponse || query.opcode !== 0 || query.truncated) return undefined;
  if (!question || query.questions.length > 1 || !sameName(question.name, name)) return undefined;
  const asksAddress = question.type === 'A' || question.type === 'ANY';
  return {
    ...blankResponse,
    authoritative: false,
    id: query.id,
    questions: [question],
    answers: asksAddress ? [{ name: question.name, type: 'A', ttl: hostTtlSeconds, data: ip }] : [],
  };
}

/** Discovery by LLMNR. Reference: network 4.2. */
export const llmnrService: NetworkService = {
  name: 'llmnr',
  spec: 'MOD-RULE-llmnr',
  // A name of several labels is no name for LLMNR.
  wanted: (parts) => (plainName(hostName(parts)).includes('.') ? [] : nameInterfaces(parts)),
  async start(parts, iface) {
    const name = hostName(parts);
    const ip = addressOf(parts, iface);
    let socket: DatagramSocket | undefined;
    const receive = ({ bytes, address, port }: Datagram): void => {
      const query = readDns(bytes);
      const answer = query && llmnrAnswer(query, name, ip);
      // A response that is lost is requested again.
      if (answer) ignoreFailure(socket?.send(writeDns(answer), address, port));
    };
    const opened = await parts.net.datagrams({ port: llmnrPort, group: llmnrGroup }, receive);
    if (!opened.ok) {
      parts.log.say('serviceNotStarted', { service: 'LLMNR', detail: netReason(opened.error) });
      return undefined;
    }
    socket = opened.value;
    return { stop: () => opened.value.close() };
  },
};
