import { unwrap } from '@moorage/base';
import type { MemoryNetwork } from '../src/net/memory.ts';
import type { Connection, DatagramSocket, Net } from '../src/net/ports.ts';

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
export async function addHost(network: MemoryNetwork, name: string, ip: string): Promise<Net> {
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
    await net.datagrams({ port: 7 }, ({ bytes, address, port }) => void echo.send(bytes, address, port)),
  );
  return net;
}

/** A call of a host to a server of the module. */
export class Call {
  readonly #connection: Connection;
  heard = '';

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.stream.on('data', (chunk: Buffer) => {
      this.heard += chunk.toString('latin1');
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
