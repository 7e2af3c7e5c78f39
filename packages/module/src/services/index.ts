import { channelService } from '../cloud/channel-service.ts';
import type { Board } from '../commands/board.ts';
import { httpService } from '../web/http-service.ts';
import { tcpClientService, tcpServerService, udpClientService, udpServerService } from './auto-streams.ts';
import { broadcastService } from './broadcast.ts';
import { dhcpServerService } from './dhcp-server.ts';
import { dnsServerService } from './dns-server.ts';
import { llmnrService } from './llmnr.ts';
import { mdnsService } from './mdns.ts';
import { netbiosService } from './netbios.ts';
import { remoteTerminal } from './remote-terminal.ts';
import type { NetworkService } from './service.ts';
import { sntpService } from './sntp.ts';

/** The services of the module, in the order in which they start. */
export const networkServices: readonly NetworkService<Board>[] = [
  dhcpServerService,
  dnsServerService,
  mdnsService,
  llmnrService,
  netbiosService,
  httpService,
  remoteTerminal,
  sntpService,
  broadcastService,
  channelService,
  tcpServerService,
  udpServerService,
  tcpClientService,
  udpClientService,
];
