import type { Duplex } from 'node:stream';
import { optionBytes, subnegotiationBytes } from '@moorage/net/telnet/telnet';
import { telnetStream } from '@moorage/net/telnet/telnet-stream';

/** RFC 2217 and the options that go with it. */
const options = { binary: 0, comPort: 44 } as const;

/** Commands of the serial port option. */
const commands = { baudRate: 1, dataSize: 2, parity: 3, stopSize: 4, control: 5 } as const;

/** No parity, one stop bit, no flow control: as every module leaves the factory. */
const frame: readonly (readonly [command: number, value: number])[] = [
  [commands.dataSize, 8],
  [commands.parity, 1],
  [commands.stopSize, 1],
  [commands.control, 1],
];

/** A serial port behind an access server: its data as a stream, its rate as given, in baud. */
export function comPortStream(source: Duplex, baud: number): Duplex {
  const send = (bytes: Uint8Array): void => void source.write(bytes);
  const stream = telnetStream(source, {
    onEvent(event) {
      if (event.kind !== 'option') return;
      if (event.verb === 'WILL' && event.option !== options.binary) send(optionBytes('DONT', event.option));
      if (event.verb === 'DO' && event.option !== options.binary && event.option !== options.comPort)
        send(optionBytes('WONT', event.option));
      if (event.verb !== 'DO' || event.option !== options.comPort) return;
      const rate = Buffer.alloc(5);
      rate[0] = commands.baudRate;
      rate.writeUInt32BE(baud, 1);
      send(subnegotiationBytes(options.comPort, rate));
      for (const pair of frame) send(subnegotiationBytes(options.comPort, Uint8Array.from(pair)));
    },
  });
  send(optionBytes('WILL', options.comPort));
  send(optionBytes('WILL', options.binary));
  send(optionBytes('DO', options.binary));
  return stream;
}
