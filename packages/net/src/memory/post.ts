import { type Clock, failure, type Random, type Result, success } from '@moorage/base';
import type { Datagram, DatagramOptions, DatagramSocket, NetFailure } from '../ports.ts';
import type { DatagramConditions, Sent } from './conditions.ts';

/** A host as far as datagrams go. */
export interface Mailbox {
  readonly name: string;
  readonly ip: string;
  /** In the order in which they were opened. */
  readonly sockets: OpenSocket[];
}

export interface OpenSocket extends DatagramOptions {
  /** The port that it really has. */
  readonly bound: number;
  readonly receive: (datagram: Datagram) => void;
}

interface PostParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly hosts: () => readonly Mailbox[];
  readonly conditions: (sent: Sent) => DatagramConditions;
  readonly resolve: (from: Mailbox, name: string) => Promise<Result<string, NetFailure>>;
  readonly freePort: () => number;
}

/** Most that fits into one datagram of IPv4, in bytes. */
const maxDatagramBytes = 65_507;

/** How long a datagram is held back for the next one to overtake it, where the conditions do not say, in ms. */
const defaultReorderMs = 50;

const isMulticast = (address: string): boolean => /^(22[4-9]|23\d)\./.test(address);

const subnetOf = (ip: string): string => ip.replace(/\d+$/, '');

/** The datagrams of a network in memory. */
export class Post {
  readonly #parts: PostParts;
  /** What is held back, by the names of sender and receiver. */
  readonly #held = new Map<string, () => void>();
  #sent = 0;

  constructor(parts: PostParts) {
    this.#parts = parts;
  }

  open(
    host: Mailbox,
    options: DatagramOptions,
    receive: (datagram: Datagram) => void,
  ): Result<DatagramSocket, NetFailure> {
    const bound = options.port === 0 ? this.#parts.freePort() : options.port;
    const rival = host.sockets.find((socket) => socket.bound === bound);
    // Members of a group share its port.
    if (rival && (rival.group === undefined || options.group === undefined))
      return failure({ error: 'in-use', detail: `Port ${bound} is taken` });
    const socket: OpenSocket = { ...options, bound, receive };
    host.sockets.push(socket);
    return success({
      address: host.ip,
      port: bound,
      send: async (bytes, name, port) => {
        if (!host.sockets.includes(socket)) return failure({ error: 'unreachable', detail: 'The socket is closed' });
        if (bytes.length > maxDatagramBytes)
          return failure({ error: 'unreachable', detail: `A datagram has at most ${maxDatagramBytes} bytes` });
        const address = await this.#parts.resolve(host, name);
        if (!address.ok) return address;
        this.#send(host, bound, bytes.slice(), address.value, port);
        return success(undefined);
      },
      close: async () => {
        const at = host.sockets.indexOf(socket);
        if (at >= 0) host.sockets.splice(at, 1);
      },
    });
  }

  #send(from: Mailbox, fromPort: number, bytes: Uint8Array, address: string, port: number): void {
    for (const to of this.#parts.hosts()) {
      const targets = receivers(to, from, address, port);
      if (targets.length === 0) continue;
      const deliver = () => {
        for (const socket of targets) {
          // It may have been closed while the datagram was on its way.
          if (to.sockets.includes(socket)) socket.receive({ bytes: bytes.slice(), address: from.ip, port: fromPort });
        }
      };
      const conditions = this.#parts.conditions({ from: from.name, to: to.name, port, index: this.#sent++ });
      this.#carry(`${from.name} ${to.name}`, conditions, deliver);
    }
  }

  #carry(way: string, conditions: DatagramConditions, deliver: () => void): void {
    if (this.#happens(conditions.lossPercent)) return;
    const copies = this.#happens(conditions.duplicatePercent) ? 2 : 1;
    const go = () => {
      for (let copy = 0; copy < copies; copy++) this.#later(conditions, deliver);
    };
    const held = this.#held.get(way);
    if (!held && this.#happens(conditions.reorderPercent)) {
      this.#hold(way, conditions.reorderMs ?? defaultReorderMs, go);
      return;
    }
    go();
    held?.();
  }

  #hold(way: string, reorderMs: number, go: () => void): void {
    const release = () => {
      cancel();
      this.#held.delete(way);
      go();
    };
    const cancel = this.#parts.clock.after(reorderMs, release);
    this.#held.set(way, release);
  }

  #later({ latencyMs = 0, jitterMs = 0 }: DatagramConditions, deliver: () => void): void {
    const delayMs = latencyMs + (jitterMs > 0 ? this.#parts.random.below(jitterMs + 1) : 0);
    if (delayMs > 0) this.#parts.clock.after(delayMs, deliver);
    else queueMicrotask(deliver);
  }

  #happens(percent = 0): boolean {
    return percent > 0 && this.#parts.random.below(100) < percent;
  }
}

/** The sockets of a host that hear a datagram. */
function receivers(to: Mailbox, from: Mailbox, address: string, port: number): readonly OpenSocket[] {
  const onPort = to.sockets.filter((socket) => socket.bound === port);
  if (isMulticast(address)) return onPort.filter((socket) => socket.group === address);
  const subnet = subnetOf(from.ip);
  const broadcast = address === '255.255.255.255' || address === `${subnet}255`;
  if (broadcast)
    // As on real sockets: not on a port that the host has chosen, nor as a member of a group.
    return subnetOf(to.ip) === subnet ? onPort.filter((socket) => socket.port !== 0 && socket.group === undefined) : [];
  return to.ip === address ? onPort.slice(-1) : [];
}
