import { isIP } from 'node:net';
import { failure, type Result, success } from '@moorage/base';
import type { Connection, Datagram, Net, NetFailure } from '@moorage/net';
import { nodeNet } from '@moorage/net/node';

/** Ports below this are the superuser's. */
const firstFreePort = 1024;
const lowPortOffset = 10_000;

/** As in a network in memory. */
const firstEphemeralPort = 30_001;

let addresses = 0;

/** An address of the loopback range that no other test uses just now. */
const ownAddress = (): string =>
  `127.${20 + (process.pid % 200)}.${1 + ((process.pid >> 8) % 250)}.${(++addresses % 250) + 1}`;

const realPort = (port: number): number => (port > 0 && port < firstFreePort ? port + lowPortOffset : port);

interface Host {
  readonly name: string;
  /** As the hosts know it. */
  readonly ip: string;
  readonly realIp: string;
}

/** A place as the hosts know it. */
interface Place {
  readonly ip: string;
  readonly port: number;
}

/**
 * Hosts that are reached by the names, addresses and port numbers of a network in memory, and whose bytes go through
 * real sockets of the loopback range: what a dialogue prints is the same. TLS is left out, as there.
 */
export class SocketNetwork {
  readonly #hosts: Host[] = [];
  /** Numbers of ports that the system has chosen, by address and real port. */
  readonly #chosen = new Map<string, number>();
  readonly #datagramPorts = new Map<string, number>();
  #nextPort = firstEphemeralPort;
  #nextDatagramPort = firstEphemeralPort;

  attach(name: string, ip: string): Net {
    const host: Host = { name, ip, realIp: ownAddress() };
    this.#hosts.push(host);
    const net = nodeNet({ ip: host.realIp, portOffset: 0, listenLan: false });
    return {
      dial: async ({ host: wanted, port, localPort, timeoutMs }) => {
        const to = this.#find(wanted);
        if (!to.ok) return to;
        const local = localPort === undefined ? {} : { localPort };
        const dialled = await net.dial({ host: to.value.realIp, port: realPort(port), timeoutMs, ...local });
        return dialled.ok ? success(this.#seen(dialled.value, { ip: to.value.ip, port }, 'remote')) : dialled;
      },
      secure: async (connection) => success(connection),
      listen: async (port, accept) => {
        const listener = await net.listen(realPort(port), (connection) =>
          accept(this.#seen(connection, { ip, port: port || listenerPort() }, 'local')),
        );
        if (!listener.ok) return listener;
        const listenerPort = (): number => this.#chosenPort(host.realIp, listener.value.port);
        return success({ ...listener.value, address: ip, port: port || listenerPort() });
      },
      datagrams: (options, receive) => this.#datagrams(host, net, options.port, receive),
      resolve: async (wanted) => {
        if (isIP(wanted) === 4) return success(wanted);
        const found = this.#find(wanted);
        return found.ok ? success(found.value.ip) : found;
      },
      ping: async (wanted) => {
        const found = this.#find(wanted);
        return found.ok ? success(0) : found;
      },
      lease: () => ({ ip, netmask: '255.255.255.0', gateway: ip.replace(/\d+$/, '1'), dns: ip.replace(/\d+$/, '1') }),
    };
  }

  #find(wanted: string): Result<Host, NetFailure> {
    const found = this.#hosts.find(({ name, ip }) => name === wanted || ip === wanted);
    return found ? success(found) : failure({ error: 'not-found', detail: `Host "${wanted}" is not known` });
  }

  /** A connection with the addresses that the hosts know; `place` is that end of it whose port has a name. */
  #seen(connection: Connection, place: Place, end: 'local' | 'remote'): Connection {
    const other = end === 'local' ? 'remote' : 'local';
    const realIp = connection[`${other}Address`];
    const fakeIp = this.#hosts.find((host) => host.realIp === realIp)?.ip ?? realIp;
    return {
      ...connection,
      [`${end}Address`]: place.ip,
      [`${end}Port`]: place.port,
      [`${other}Address`]: fakeIp,
      [`${other}Port`]: this.#chosenPort(realIp, connection[`${other}Port`]),
    };
  }

  /** The number that stands for a port which the system has chosen, or which is below those. */
  #chosenPort(realIp: string, port: number): number {
    if (port < firstEphemeralPort) return port;
    const place = `${realIp}:${port}`;
    const known = this.#chosen.get(place) ?? this.#nextPort++;
    this.#chosen.set(place, known);
    return known;
  }

  async #datagrams(host: Host, net: Net, wanted: number, receive: (datagram: Datagram) => void) {
    const received = ({ bytes, address, port }: Datagram): void => {
      const from = this.#hosts.find(({ realIp }) => realIp === address);
      receive({ bytes, address: from?.ip ?? address, port: this.#datagramPorts.get(`${address}:${port}`) ?? port });
    };
    const opened = await net.datagrams({ port: realPort(wanted) }, received);
    if (!opened.ok) return opened;
    const port = wanted === 0 ? this.#nextDatagramPort++ : wanted;
    this.#datagramPorts.set(`${host.realIp}:${opened.value.port}`, port);
    return success({
      address: host.ip,
      port,
      send: async (bytes: Uint8Array, to: string, toPort: number) => {
        const target = this.#find(to);
        if (!target.ok) return target;
        const { realIp } = target.value;
        return opened.value.send(bytes, realIp, this.#realDatagramPort(realIp, toPort));
      },
      close: () => opened.value.close(),
    });
  }

  #realDatagramPort(realIp: string, port: number): number {
    for (const [place, known] of this.#datagramPorts) {
      if (known === port && place.startsWith(`${realIp}:`)) return Number(place.slice(realIp.length + 1));
    }
    return realPort(port);
  }
}
