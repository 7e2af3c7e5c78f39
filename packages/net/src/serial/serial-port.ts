import type { Duplex } from 'node:stream';
import { failure, type Result, success } from '@moorage/base';

/** A serial port of the host. */
export interface HostSerialPort {
  /** Raw bytes. */
  readonly stream: Duplex;
  /** The modem lines that come in; `undefined` where the port has none. */
  lines(): Promise<{ readonly cts: boolean } | undefined>;
  /** Sets those that go out; nothing happens where there are none. */
  drive(lines: { readonly rts: boolean; readonly dtr: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Opens a serial port of the host, or a pseudo-terminal, as raw bytes. The error is one sentence. */
export async function openSerialPort(path: string, baud: number): Promise<Result<HostSerialPort, string>> {
  // Optional: it has no binary for some systems.
  const library = await import('serialport').catch(() => undefined);
  if (!library) return failure('Serial ports need the package "serialport", which is not installed here');
  const port = new library.SerialPort({ path, baudRate: baud, autoOpen: false });
  // Of itself the package keeps a port open whose stream has been destroyed, and the process with it.
  port._destroy = (error, done) => {
    if (port.isOpen) port.close(() => done(error));
    else done(error);
  };
  const opened = await new Promise<Error | null>((resolve) => port.open((error) => resolve(error ?? null)));
  if (opened) return failure(`"${path}" cannot be opened: ${opened.message}`);
  return success({
    stream: port,
    lines: () => new Promise((resolve) => port.get((error, lines) => resolve(error || !lines ? undefined : lines))),
    drive: (lines) => new Promise((resolve) => port.set(lines, () => resolve())),
    close: () =>
      new Promise((resolve) => {
        port.once('close', () => resolve());
        port.destroy();
      }),
  });
}
