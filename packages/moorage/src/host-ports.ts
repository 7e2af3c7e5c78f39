import { realClock } from '@moorage/base';
import type { OpenPorts } from '@moorage/gateway';
import { openDeviceFile } from '@moorage/gateway/serial/device-file';
import { nodeNet } from '@moorage/net/node';

/** The network and the serial lines of this machine, for programs that call modules and listen for none. */
export const hostPorts = (ip = '0.0.0.0'): OpenPorts & Required<Pick<OpenPorts, 'serial'>> => ({
  net: nodeNet({ ip, portOffset: 0, listenLan: true }),
  clock: realClock,
  serial: openDeviceFile,
});
