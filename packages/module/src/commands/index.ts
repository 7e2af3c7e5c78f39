import type { Command } from '../interpreter/command.ts';
import { analogCommands } from './analog.ts';
import type { Board } from './board.ts';
import { busCommands } from './bus.ts';
import { cloudCommands } from './cloud.ts';
import { dmsCommands } from './dms.ts';
import { faultCommands } from './faults.ts';
import { fileCommands } from './files.ts';
import { gpioCommands } from './gpio.ts';
import { helpCommands } from './help.ts';
import { httpCommands } from './http.ts';
import { httpDownloadCommands } from './http-download.ts';
import { httpUploadCommands } from './http-upload.ts';
import { lookupCommands } from './lookup.ts';
import { mdnsCommands } from './mdns.ts';
import { networkCommands } from './network.ts';
import { otaCommands } from './ota.ts';
import { radioCommands } from './radio.ts';
import { setupCommands } from './setup.ts';
import { smtpCommands } from './smtp.ts';
import { streamCommands } from './streams.ts';
import { systemCommands } from './system.ts';
import { tcpCommands } from './tcp.ts';
import { tlsCommands } from './tls.ts';
import { udpCommands } from './udp.ts';
import { variableCommands } from './variables.ts';

/** Every command of the module. */
export const allCommands: readonly Command<Board>[] = [
  ...analogCommands,
  ...busCommands,
  ...cloudCommands,
  ...dmsCommands,
  ...faultCommands,
  ...fileCommands,
  ...gpioCommands,
  ...helpCommands,
  ...httpCommands,
  ...httpDownloadCommands,
  ...httpUploadCommands,
  ...mdnsCommands,
  ...lookupCommands,
  ...networkCommands,
  ...otaCommands,
  ...radioCommands,
  ...setupCommands,
  ...smtpCommands,
  ...streamCommands,
  ...systemCommands,
  ...tcpCommands,
  ...tlsCommands,
  ...udpCommands,
  ...variableCommands,
];
