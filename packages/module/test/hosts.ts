import { ignoreFailure, unwrap } from '@moorage/base';
import type { Connection, DatagramSocket, Net } from '@moorage/net';
import { type PeerStep, spell } from './transcript.ts';

/** Where hosts are added. */
export interface HostNetwork {
  attach(name: string, ip: string): Net;
}

/** What every host of a transcript does with TCP clients, by port. */
const programs: Readonly<Record<number, (connection: Connection) => void>> = {
  // Gives back what it gets.
  7: ({ stream }) => stream.pipe(stream),
  // Says a line and closes.
  13: ({ stream }) => stream.end('twelve o clock\r\n'),
  // Breaks in the middle of one, when it has been asked.
  14: ({ stream }) => {
    stream.write('twelve o');
    stream.once('data', () => stream.destroy(new Error('broken')));
  },
  // Never takes what it gets.
  9: () => {},
};

/** Adds a host with the programs above, and an echo for datagrams on port 7. */
export async function addHost(network: HostNetwork, name: string, ip: string): Promise<Net> {
  const net = network.attach(name, ip);
  for (const [port, serve] of Object.entries(programs)) {
    unwrap(
      await net.listen(Number(port), (connection) => {
        connection.stream.on('error', () => {});
        serve(connection);
      }),
    );
  }
  const echo: DatagramSocket = unwrap(
    await net.datagrams({ port: 7 }, ({ bytes, address, port }) => ignoreFailure(echo.send(bytes, address, port))),
  );
  return net;
}

/** A call of a host to a server of the module. */
export class Call {
  readonly #connection: Connection;
  received = '';

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.stream.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
    });
    connection.stream.on('error', () => {});
  }

  say(bytes: string): void {
    this.#connection.stream.write(Buffer.from(bytes, 'latin1'));
  }

  hangUp(): void {
    this.#connection.stream.end();
  }
}

/** A server that does what a dialogue says, one connection after another. */
export class ScriptedPeer {
  readonly #steps: readonly PeerStep[];
  #at = 0;
  #received = '';
  #stream: Connection['stream'] | undefined;
  /** The first thing that went otherwise. */
  problem: string | undefined;

  constructor(steps: readonly PeerStep[]) {
    this.#steps = steps;
  }

  /** Nothing is left to do, and nothing has come that was not expected. */
  get done(): boolean {
    return this.problem === undefined && this.#at === this.#steps.length && this.#received === '';
  }

  /** What is the matter when it is not done. */
  get state(): string {
    const next = this.#steps[this.#at];
    return this.problem ?? `next is ${JSON.stringify(next)}, has received "${spell(this.#received)}"`;
  }

  accept({ stream }: Connection): void {
    this.#stream = stream;
    this.#received = '';
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      if (stream !== this.#stream) return;
      this.#received += chunk.toString('latin1');
      this.#play(stream);
    });
    this.#play(stream);
  }

  #play(stream: Connection['stream']): void {
    for (let step = this.#steps[this.#at]; step; step = this.#steps[this.#at]) {
      if (step.kind === 'hears') {
        if (this.#received.length < step.bytes.length) return;
        const received = this.#received.slice(0, step.bytes.length);
        this.#received = this.#received.slice(step.bytes.length);
        if (received !== step.bytes) {
          this.problem ??= `received "${spell(received)}" instead of "${spell(step.bytes)}"`;
          stream.destroy();
          return;
        }
      }
      this.#at++;
      if (step.kind === 'says') stream.write(Buffer.from(step.bytes, 'latin1'));
      if (step.kind === 'hears' || step.kind === 'says') continue;
      if (step.kind === 'ends') stream.end();
      else stream.destroy(new Error('broken'));
      return;
    }
  }
}
