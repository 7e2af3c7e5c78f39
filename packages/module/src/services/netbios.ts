import { ignoreFailure } from '@moorage/base';
import type { Datagram, DatagramSocket } from '@moorage/net';
import { netReason } from '../texts/reasons.ts';
import { addressOf, hostName, nameInterfaces } from './host-name.ts';
import { netbiosAnswer, readNetbiosQuery } from './netbios-packet.ts';
import type { NetworkService } from './service.ts';

export const netbiosPort = 137;

/** Characters that a name may have with `.local` behind it. Spec: MOD-LIMIT-netbios. */
const maxNameWithDomain = 15;

/** Suffix of the name of a workstation. */
const workstation = 0x00;

/** Whether NetBIOS answers for a name: not when it is too long, which disables NetBIOS. */
export const isNetbiosName = (name: string): boolean =>
  name !== '' && !name.includes('.') && `${name}.local`.length <= maxNameWithDomain;

/** The name of the module by NetBIOS. Reference: network 4.2. Spec: MOD-RULE-netbios. */
export const netbiosService: NetworkService = {
  name: 'netbios',
  spec: 'MOD-RULE-netbios',
  wanted: (parts) => (isNetbiosName(hostName(parts)) ? nameInterfaces(parts) : []),
  async start(parts, iface) {
    const name = hostName(parts).toUpperCase();
    const ip = addressOf(parts, iface);
    let socket: DatagramSocket | undefined;
    const receive = ({ bytes, address, port }: Datagram): void => {
      const query = readNetbiosQuery(bytes);
      if (query?.suffix !== workstation || query.name.toUpperCase() !== name) return;
      // A response that is lost is requested again.
      ignoreFailure(socket?.send(netbiosAnswer(query, ip), address, port));
    };
    const opened = await parts.net.datagrams({ port: netbiosPort }, receive);
    if (!opened.ok) {
      parts.log.say('serviceNotStarted', { service: 'NetBIOS', detail: netReason(opened.error) });
      return undefined;
    }
    socket = opened.value;
    return { stop: () => opened.value.close() };
  },
};
