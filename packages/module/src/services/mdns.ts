import type { Interface } from '@moorage/net';
import { mdnsGroup, mdnsPort } from '@moorage/net/dns/mdns-browser';
import { netReason } from '../texts/reasons.ts';
import { addressOf, hostName, nameInterfaces } from './host-name.ts';
import { type Claim, type ServiceClaim, serviceType } from './mdns-records.ts';
import { MdnsResponder } from './mdns-responder.ts';
import type { NetworkService, RunningService, ServiceParts } from './service.ts';

/** Variables with the ports of the services that the module itself has. Reference: network 4.1. */
const ownPorts = {
  http: 'http.server.port',
  https: 'http.server.port',
  remote_terminal: 'remote_terminal.port',
  telnet: 'remote_terminal.port',
} as const;

const isOwn = (word: string): word is keyof typeof ownPorts => Object.hasOwn(ownPorts, word);

/** What `mdns.service` asks to announce. Spec: MOD-VAR-mdns.service. */
export function serviceClaims(parts: Pick<ServiceParts, 'identity' | 'net' | 'variables'>): readonly ServiceClaim[] {
  const { identity, net, variables } = parts;
  const txt = [`mac=${identity.mac}`, `uuid=${identity.uuid}`, `version=${variables.get('system.version')}`];
  const types = variables
    .get('mdns.service')
    .split(',')
    .flatMap((word) => serviceType(word) ?? []);
  return [...new Set(types)].map((type) => {
    const name = /^_([^.]*)/.exec(type)?.[1] ?? '';
    if (!isOwn(name)) return { type, port: 0, txt };
    // Who asks connects from outside.
    const port = variables.get(ownPorts[name]);
    return { type, port: net.reachedAt?.(port) ?? port, txt };
  });
}

/** Discovery by mDNS. Reference: network 4.1. */
export const mdnsService: NetworkService = {
  name: 'mdns',
  // Spec: MOD-VAR-mdns.enabled, MOD-VAR-mdns.interface.
  spec: 'MOD-RULE-mdns',
  wanted: nameInterfaces,
  start: startMdns,
};

async function startMdns(parts: ServiceParts, iface: Interface): Promise<RunningService | undefined> {
  const { hostClock: clock = parts.clock, log, net, random } = parts;
  log.say('startingMdns');
  let responder: MdnsResponder | undefined;
  const opened = await net.datagrams({ port: mdnsPort, group: mdnsGroup }, (datagram) => responder?.receive(datagram));
  if (!opened.ok) {
    log.say('serviceNotStarted', { service: 'mDNS', detail: netReason(opened.error) });
    return undefined;
  }
  const socket = opened.value;
  const claim: Claim = { name: hostName(parts), ip: addressOf(parts, iface), services: serviceClaims(parts) };
  const named = (name: string): void => log.say('mdnsDomain', { name });
  const started = new MdnsResponder({ clock, random, socket, claim, named });
  responder = started;
  const leave = parts.wlan.watch({ down: (gone) => gone === iface && void started.stop() });
  await started.start();
  leave();
  return {
    stop: async () => {
      await started.stop();
      await socket.close();
    },
  };
}
