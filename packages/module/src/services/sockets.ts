import type { SocketBoard } from './open-client.ts';
import { TcpServers } from './tcp-servers.ts';
import { UdpServer } from './udp-server.ts';

/** The servers behind network streams, whoever has started them. */
export class Sockets {
  readonly tcp: TcpServers;
  readonly udp: UdpServer;

  constructor(board: SocketBoard) {
    this.tcp = new TcpServers(board);
    this.udp = new UdpServer(board);
    board.wlan.watch({
      // Nobody may come in between; the notices of the streams are printed before that of the link.
      down: (iface) => {
        this.tcp.halt(iface);
        void board.streams.closeConnections(iface);
      },
    });
  }

  /** Before a reboot or power-off: nobody comes in any more. The streams are for the caller to close. */
  halt(): void {
    this.tcp.halt();
  }
}
