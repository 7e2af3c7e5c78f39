import { channelService } from '../cloud/channel-service.ts';
import type { Board } from '../commands/board.ts';
import { tcpClientService, tcpServerService, udpClientService, udpServerService } from '../services/auto-streams.ts';
import { broadcastService } from '../services/broadcast.ts';
import { dhcpServerService } from '../services/dhcp-server.ts';
import { dnsServerService } from '../services/dns-server.ts';
import { llmnrService } from '../services/llmnr.ts';
import { mdnsService } from '../services/mdns.ts';
import { netbiosService } from '../services/netbios.ts';
import { remoteTerminal, type TerminalParts } from '../services/remote-terminal.ts';
import type { NetworkService } from '../services/service.ts';
import { sntpService } from '../services/sntp.ts';
import { httpService } from '../web/http-service.ts';

/** The services of a module, in the order in which they start. */
export const networkServices: readonly NetworkService<Board & TerminalParts>[] = [
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
