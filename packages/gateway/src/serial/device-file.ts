import type { Duplex } from 'node:stream';
import { type Result, success } from '@moorage/base';
import { openSerialPort } from '@moorage/net/serial/serial-port';

/** Opens a serial port of the host, or a pseudo-terminal, as raw bytes. The error is one sentence. */
export async function openDeviceFile(path: string, baud: number): Promise<Result<Duplex, string>> {
  const opened = await openSerialPort(path, baud);
  return opened.ok ? success(opened.value.stream) : opened;
}
