import type { Duplex } from 'node:stream';
import { failure, type Result, realClock, success } from '@moorage/base';
import { openSerialPort } from '@moorage/net/serial/serial-port';
import { type ModemLines, plainPeer, type SerialPeer } from '../bus/uart-line.ts';

/** How often the modem lines of an adapter are read, in ms: it does not report their changes. */
const modemPollMs = 20;

interface TtyPort {
  readonly stream: Duplex;
  readonly peer: SerialPeer & { joined(changed: () => void): void };
  close(): Promise<void>;
}

/**
 * Opens a serial port of this machine as the module's UART, at a rate in bit/s. The module's RTS and its power are the
 * adapter's RTS and DTR, the adapter's CTS is the module's, where the adapter has them. The refusal is one sentence.
 */
export async function openTty(path: string, baud: number): Promise<Result<TtyPort, string>> {
  const opened = await openSerialPort(path, baud);
  if (!opened.ok) return failure(opened.error);
  const port = opened.value;
  let cts = true;
  let changed = (): void => {};
  let cancel = (): void => {};
  const poll = async (): Promise<void> => {
    const lines = await port.lines();
    // One without modem lines, such as a pseudo-terminal, lets everything pass.
    if (!lines || port.stream.destroyed) return;
    if (lines.cts !== cts) {
      cts = lines.cts;
      changed();
    }
    cancel = realClock.after(modemPollMs, () => void poll());
  };
  const peer = {
    ...plainPeer,
    get rts() {
      return cts;
    },
    modem: ({ cts: rts, dsr: dtr }: ModemLines) => void port.drive({ rts, dtr }),
    joined(listener: () => void) {
      changed = listener;
      void poll();
    },
  };
  const close = async (): Promise<void> => {
    cancel();
    await port.close();
  };
  return success({ stream: port.stream, peer, close });
}
