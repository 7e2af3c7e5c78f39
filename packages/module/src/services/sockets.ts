import type { SocketParts } from './open-client.ts';
import { TcpServers } from './tcp-servers.ts';
import { UdpServer } from './udp-server.ts';

/** The servers behind network streams, whether started by a command or by a variable. */
export class Sockets {
  readonly tcp: TcpServers;
  readonly udp: UdpServer;

  constructor(parts: SocketParts) {
    this.tcp = new TcpServers(parts);
    this.udp = new UdpServer(parts);
    parts.wlan.watch({
      // No connection may come in between; the notices of the streams are printed before that of the link.
      down: (iface) => {
        this.tcp.halt(iface);
        void parts.streams.closeConnections(iface);
      },
    });
  }

  /** Before a reboot or power-off: refuses new connections. The streams are for the caller to close. */
  halt(): void {
    this.tcp.halt();
  }
}
