import type { Duplex } from 'node:stream';
import { failure, type Result, success } from '@moorage/base';

/** Opens a serial port of the host, or a pseudo-terminal, as raw bytes. The error is one sentence. */
export async function openDeviceFile(path: string, baud: number): Promise<Result<Duplex, string>> {
  // Optional: it has no binary for some systems.
  const library = await import('serialport').catch(() => undefined);
  if (!library) return failure('Serial ports need the package "serialport", which is not installed here');
  const port = new library.SerialPort({ path, baudRate: baud, autoOpen: false });
  // Of itself the package keeps a port open whose stream has been destroyed, and the process with it.
  port._destroy = (error, done) => {
    if (port.isOpen) port.close(() => done(error));
    else done(error);
  };
  return new Promise((resolve) => {
    port.open((error) => resolve(error ? failure(`"${path}" cannot be opened: ${error.message}`) : success(port)));
  });
}
