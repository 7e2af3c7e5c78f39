import { failure, type Result, success } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { DatagramStream, type Peer } from '../device/net-datagram.ts';
import { netReason } from '../texts/reasons.ts';
import type { Phrase } from '../texts/texts.ts';
import type { SocketParts } from './open-client.ts';

/** What the list shows before the first datagram. */
const noPeer: Peer = { address: '0.0.0.0', port: 0 };

/**
 * The UDP server of a module: one socket and one stream for all senders. Closing the stream stops the server.
 * Spec: MOD-STREAM-UDPS, MOD-STREAM-udp-clients.
 */
export class UdpServer {
  readonly #parts: SocketParts;
  #starting = false;
  #running: { readonly stream: DatagramStream; readonly handle: number } | undefined;

  constructor(parts: SocketParts) {
    this.#parts = parts;
  }

  /** Its stream and the handle of that; `undefined` while the server does not run. */
  get running(): { readonly stream: DatagramStream; readonly handle: number } | undefined {
    return this.#running;
  }

  /** Opens socket and stream and says so; on a refusal the log says why. */
  async start({ port, iface }: { readonly port: number; readonly iface: Interface }): Promise<Result<void, 'failed'>> {
    const { log, streams } = this.#parts;
    if (this.#running || this.#starting) {
      log.say('serverRunning');
      return failure('failed');
    }
    if (!streams.hasFree) {
      log.say('noFreeStream');
      return failure('failed');
    }
    this.#starting = true;
    try {
      return await this.#open(port, iface);
    } finally {
      this.#starting = false;
    }
  }

  /** False when it did not run. */
  async stop(): Promise<boolean> {
    const running = this.#running;
    if (running) await this.#parts.streams.drop(new Set([running.stream]));
    return running !== undefined;
  }

  async #open(port: number, iface: Interface): Promise<Result<void, 'failed'>> {
    const { log, net, streams, variables, wlan } = this.#parts;
    let local = '';
    const stream = new DatagramStream({
      type: 'UDPS',
      info: ({ address, port: remotePort } = noPeer) => `${local}:${port} ${address}:${remotePort}`,
      pool: streams.pool,
      iface,
      locksSender: () => variables.get('udp.server.lock_client'),
      gone: () => {
        this.#running = undefined;
      },
    });
    const socket = await net.datagrams({ port }, stream.receive);
    if (!socket.ok || !wlan.isUp(iface)) {
      const detail: Phrase = socket.ok ? ['networkDown'] : netReason(socket.error);
      if (socket.ok) await socket.value.close();
      log.say('serviceNotStarted', { service: 'UDP server', detail });
      return failure('failed');
    }
    local = socket.value.address;
    stream.attach(socket.value);
    log.say('udpListening', { port });
    const handle = streams.open(stream);
    if (!handle.ok) {
      await stream.close();
      log.say('noFreeStream');
      return failure('failed');
    }
    this.#running = { stream, handle: handle.value };
    return success(undefined);
  }
}
