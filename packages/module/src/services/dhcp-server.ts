import { type CancelTimer, type Clock, ignoreFailure } from '@moorage/base';
import type { Datagram, DatagramSocket } from '@moorage/net';
import { netReason } from '../texts/reasons.ts';
import type { Stations } from '../wlan/stations.ts';
import { type DhcpReply, type DhcpRequest, readDhcp, writeDhcp } from './dhcp-packet.ts';
import { DhcpPool } from './dhcp-pool.ts';
import type { NetworkService } from './service.ts';

export const dhcpServerPort = 67;
const dhcpClientPort = 68;

/** Reference: network 2.2. */
const leaseSeconds = 3600;
const spareAddresses = 8;
const netmask = '255.255.255.0';
const noAddress = '0.0.0.0';

interface DhcpParts {
  readonly clock: Clock;
  readonly stations: Stations;
  /** The module's address on its own network. */
  readonly serverIp: string;
  /** Stations at a time. */
  readonly maxClients: number;
}

/** The decisions of the DHCP server: a packet in, an answer out. Spec: MOD-RULE-dhcp-server. */
export class DhcpServer {
  readonly #parts: DhcpParts;
  readonly #pool: DhcpPool;
  readonly #ends = new Map<string, CancelTimer>();

  constructor(parts: DhcpParts) {
    this.#parts = parts;
    const { serverIp, maxClients } = parts;
    this.#pool = new DhcpPool({ serverIp, size: maxClients + spareAddresses, leaseMs: leaseSeconds * 1000 });
  }

  /** What the server says to a request; nothing to what is not for it. */
  answer(request: DhcpRequest): DhcpReply | undefined {
    switch (request.type) {
      case 'discover':
        return this.#offer(request);
      case 'request':
        return this.#grant(request);
      case 'inform':
        return { type: 'ack', to: request, serverIp: this.#parts.serverIp, netmask };
      case 'release':
        this.#release(request);
        return undefined;
      case 'decline':
        if (request.requestedIp) this.#pool.decline(request.mac, request.requestedIp, this.#nowMs());
        return undefined;
      default:
        return undefined;
    }
  }

  /** The address of a station that has joined without packets of its own. */
  lend(mac: string): string | undefined {
    const ip = this.#pool.offer(mac, undefined, this.#nowMs());
    return ip !== undefined && this.#pool.take(mac, ip, this.#nowMs()) ? ip : undefined;
  }

  /** Leases are kept track of no more. */
  stop(): void {
    for (const cancel of this.#ends.values()) cancel();
    this.#ends.clear();
  }

  /** A network that is full is silent. Spec: MOD-VAR-softap.max_clients. */
  #offer(request: DhcpRequest): DhcpReply | undefined {
    if (!this.#parts.stations.hasRoomFor(request.mac)) return undefined;
    const ip = this.#pool.offer(request.mac, request.requestedIp, this.#nowMs());
    return ip === undefined ? undefined : this.#reply('offer', request, ip);
  }

  #grant(request: DhcpRequest): DhcpReply | undefined {
    const { serverIp, stations } = this.#parts;
    // It has chosen another server.
    if (request.serverIp !== undefined && request.serverIp !== serverIp) return undefined;
    const wanted = request.requestedIp ?? (request.clientIp === noAddress ? undefined : request.clientIp);
    if (wanted === undefined || !stations.hasRoomFor(request.mac)) return undefined;
    if (!this.#pool.take(request.mac, wanted, this.#nowMs())) return { type: 'nak', to: request, serverIp };
    // A lease is the only sign of a real client.
    stations.join(request.mac);
    stations.addressed(request.mac, wanted);
    this.#expire(request.mac);
    return this.#reply('ack', request, wanted);
  }

  #release({ mac, clientIp }: DhcpRequest): void {
    if (!this.#pool.release(mac, clientIp)) return;
    this.#ends.get(mac)?.();
    this.#ends.delete(mac);
    this.#parts.stations.leave(mac);
  }

  /** A station that lets its lease run out has gone. */
  #expire(mac: string): void {
    this.#ends.get(mac)?.();
    const cancel = this.#parts.clock.after(leaseSeconds * 1000, () => {
      this.#ends.delete(mac);
      this.#parts.stations.leave(mac);
    });
    this.#ends.set(mac, cancel);
  }

  #reply(type: 'offer' | 'ack', to: DhcpRequest, ip: string): DhcpReply {
    return { type, to, serverIp: this.#parts.serverIp, ip, netmask, leaseSeconds };
  }

  #nowMs(): number {
    return this.#parts.clock.monotonic();
  }
}

/** A client without an address receives only broadcasts (RFC 2131, 4.1). */
const placeOf = ({ address, port }: Datagram, reply: DhcpReply): readonly [host: string, port: number] =>
  address === noAddress || reply.type === 'nak' ? ['255.255.255.255', dhcpClientPort] : [address, port];

/** Gives addresses to the stations of the soft AP. Reference: network 2.2. */
export const dhcpServerService: NetworkService = {
  name: 'dhcp-server',
  spec: 'MOD-RULE-dhcp-server',
  // Spec: MOD-VAR-softap.dhcp_server.enabled. Web setup cannot do without it.
  wanted: ({ variables, webSetup }) =>
    variables.get('softap.dhcp_server.enabled') || webSetup.active ? ['softap'] : [],
  async start({ clock, log, net, variables, wlan }) {
    const serverIp = wlan.softAp?.addresses.ip ?? noAddress;
    const server = new DhcpServer({
      clock,
      stations: wlan.stations,
      serverIp,
      maxClients: variables.get('softap.max_clients'),
    });
    let socket: DatagramSocket | undefined;
    const opened = await net.datagrams({ port: dhcpServerPort }, (datagram) => {
      const request = readDhcp(datagram.bytes);
      const reply = request && server.answer(request);
      // A reply that is lost is requested again.
      if (reply) ignoreFailure(socket?.send(writeDhcp(reply), ...placeOf(datagram, reply)));
    });
    if (!opened.ok) {
      log.say('serviceNotStarted', { service: 'DHCP server', detail: netReason(opened.error) });
      return undefined;
    }
    socket = opened.value;
    wlan.stations.serve((mac) => server.lend(mac));
    return {
      stop: () => {
        server.stop();
        wlan.stations.serve(undefined);
        return opened.value.close();
      },
    };
  },
};
