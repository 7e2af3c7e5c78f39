import { failure, type Result, success } from '@moorage/base';
import type { Datagram, DatagramSocket, Interface } from '@moorage/net';
import { type PacketPool, ReceiveQueue, Share } from './net-buffers.ts';
import type { Stream, StreamError, WriteSink } from './streams.ts';

/** Most bytes of one datagram. */
export const maxDatagramBytes = 65_507;

export interface Peer {
  readonly address: string;
  readonly port: number;
}

interface DatagramStreamOptions {
  readonly type: 'UDPC' | 'UDPS';
  readonly info: (peer: Peer | undefined) => string;
  readonly pool: PacketPool;
  readonly iface: Interface;
  /** Where writes go; without it, to the last sender. */
  readonly remote?: Peer;
  /** Hear and answer the first sender alone; asked at each datagram. */
  readonly locksSender?: () => boolean;
  readonly gone?: () => void;
}

/**
 * Datagrams as a stream: what comes is one run of bytes, each write is one datagram. A datagram for which the packet
 * pool has no room is lost, as datagrams may be. Spec: MOD-RULE-udp, MOD-STREAM-UDPC, MOD-STREAM-UDPS,
 * MOD-STREAM-udp-clients.
 */
export class DatagramStream implements Stream {
  readonly type: 'UDPC' | 'UDPS';
  readonly iface: Interface;
  readonly remoteClosed = false;
  readonly #options: DatagramStreamOptions;
  readonly #queue: ReceiveQueue;
  readonly #unsent: Share;
  #socket: DatagramSocket | undefined;
  #sender: Peer | undefined;
  #changed: () => void = () => {};
  #closed = false;

  constructor(options: DatagramStreamOptions) {
    this.type = options.type;
    this.iface = options.iface;
    this.#options = options;
    this.#queue = new ReceiveQueue(options.pool);
    this.#unsent = new Share(options.pool.sending);
  }

  /** A socket can only be opened with a receiver, so it comes after the stream. */
  attach(socket: DatagramSocket): void {
    this.#socket = socket;
  }

  /** The last sender, or the first while senders are locked. */
  get sender(): Peer | undefined {
    return this.#sender;
  }

  info(): string {
    return this.#options.info(this.#sender);
  }

  available(): number {
    return this.#queue.length;
  }

  writeRoom(): number {
    return Math.min(this.#unsent.free, maxDatagramBytes);
  }

  watch(changed: () => void): void {
    this.#changed = changed;
  }

  readonly receive = ({ bytes, address, port }: Datagram): void => {
    if (this.#closed) return;
    const known = this.#sender;
    // Spec: MOD-VAR-udp.server.lock_client.
    if (known && this.#options.locksSender?.() && (known.address !== address || known.port !== port)) return;
    this.#sender = { address, port };
    if (bytes.length > this.#queue.room) return;
    this.#queue.push(bytes);
    this.#changed();
  };

  read(max: number): Uint8Array {
    return this.#queue.read(max);
  }

  write(size: number): Result<WriteSink, StreamError> {
    const remote = this.#options.remote ?? this.#sender;
    return remote && !this.#closed ? this.writeTo(remote, size) : failure('not-writable');
  }

  /** As `write`, to any address. */
  writeTo({ address, port }: Peer, size: number): Result<WriteSink, StreamError> {
    if (size > maxDatagramBytes) return failure('datagram-too-large');
    const datagram = new Uint8Array(size);
    let at = 0;
    return success({
      append: (chunk) => {
        datagram.set(chunk, at);
        at += chunk.length;
      },
      end: async () => {
        this.#unsent.take(size);
        const sent = await this.#socket?.send(datagram, address, port);
        if (!this.#closed) this.#unsent.give(size);
        return sent?.ok ? success(undefined) : failure('failed');
      },
      // Half a datagram is none.
      abort: () => {},
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.close();
    this.#unsent.close();
    this.#options.gone?.();
    await this.#socket?.close();
  }
}
