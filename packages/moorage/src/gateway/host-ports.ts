import { failure, realClock } from '@moorage/base';
import type { OpenPorts } from '@moorage/gateway';
import { openDeviceFile } from '@moorage/gateway/serial/device-file';
import type { Net } from '@moorage/net';
import { nodeNet } from '@moorage/net/node';

/** What Node advises about certificates is of no use to who has not started it. */
const adviceOfNode = /[;,] if the root CA is installed locally.*$/s;

/** Dials as a network does, and names the option of this program for a certificate that is not trusted. */
const dialOf =
  (net: Net): Net['dial'] =>
  async (options) => {
    const dialled = await net.dial(options);
    if (dialled.ok) return dialled;
    const detail = dialled.error.detail.replace(adviceOfNode, ': --ca names the authority of a module');
    return failure({ ...dialled.error, detail });
  };

/** The network and the serial lines of this machine, for programs that call modules and listen for none. */
export const hostPorts = (ip = '0.0.0.0'): OpenPorts & Required<Pick<OpenPorts, 'serial'>> => {
  const net = nodeNet({ ip, portOffset: 0, listenLan: true });
  return { net: { ...net, dial: dialOf(net) }, clock: realClock, serial: openDeviceFile };
};
