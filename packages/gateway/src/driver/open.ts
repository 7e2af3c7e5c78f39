import type { Duplex } from 'node:stream';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Net } from '@moorage/net';
import { type Address, parseAddress } from './address.ts';
import { comPortStream } from './com-port.ts';
import { type Driver, type DriverFailure, driverFailure } from './driver.ts';
import { HttpDriver } from './http.ts';
import { LineDriver } from './line.ts';

/** What opens the way to a module; it creates none of it. */
export interface OpenPorts {
  readonly net: Net;
  readonly clock: Clock;
  /** Opens a device file of the host; without it there is none. The error is one sentence. */
  readonly serial?: (path: string, baud: number) => Promise<Result<Duplex, string>>;
}

/** What a module wants to be told. */
export interface Credentials {
  /** Of its HTTP server. */
  readonly username?: string | undefined;
  /** Of its HTTP server or its remote terminal. */
  readonly password?: string | undefined;
  /** PEM text of the authority of its HTTPS server. */
  readonly ca?: string | undefined;
}

export interface OpenOptions extends Credentials {
  /** Rate of a serial line, in baud; 115200 without it. */
  readonly baud?: number | undefined;
}

const dialTimeoutMs = 10_000;
const usualBaud = 115_200;

/** Opens the command line at an address. The way is closed when that fails. */
export async function openDriver(
  ports: OpenPorts,
  text: string,
  options: OpenOptions = {},
): Promise<Result<Driver, DriverFailure>> {
  const address = parseAddress(text);
  if (!address.ok) return driverFailure('unreachable', address.error);
  const place = address.value;
  if (place.kind === 'http' || place.kind === 'https') return openHttp(ports, place, options);
  const stream = await openStream(ports, place, options.baud ?? usualBaud);
  if (!stream.ok) return stream;
  const { clock } = ports;
  // A module's terminal and a serial line behind a TCP port look alike; telnet is what tells them apart.
  const transport = place.kind === 'tcp' ? 'terminal' : 'serial';
  return LineDriver.open({ stream: stream.value, clock, address: text, transport, password: options.password });
}

async function openHttp(
  { net, clock }: OpenPorts,
  { kind, host, port }: Extract<Address, { host: string }>,
  { username, password, ca }: OpenOptions,
): Promise<Result<Driver, DriverFailure>> {
  const tls = kind === 'https' ? { ca } : undefined;
  const login = username !== undefined && password !== undefined ? { username, password } : undefined;
  const driver = new HttpDriver({ net, clock, host, port, tls, login });
  const version = await driver.run('version');
  if (version.ok && version.value.code === 0) return success(driver);
  await driver.close();
  return version.ok ? driverFailure('garbled', 'What answers here is no command line of a module') : version;
}

async function openStream(
  { net, serial }: OpenPorts,
  place: Exclude<Address, { kind: 'http' | 'https' }>,
  baud: number,
): Promise<Result<Duplex, DriverFailure>> {
  if (place.kind === 'device') {
    if (!serial) return driverFailure('unreachable', 'There are no serial lines here');
    const opened = await serial(place.path, baud);
    return opened.ok ? opened : failure({ error: 'unreachable', detail: opened.error });
  }
  const dialled = await net.dial({ host: place.host, port: place.port, timeoutMs: dialTimeoutMs });
  if (!dialled.ok) return driverFailure('unreachable', dialled.error.detail);
  const { stream } = dialled.value;
  return success(place.kind === 'rfc2217' ? comPortStream(stream, baud) : stream);
}
