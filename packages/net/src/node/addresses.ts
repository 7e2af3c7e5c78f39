import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { failure, isLoopback, type Result, success } from '@moorage/base';
import type { NetFailure } from '../ports.ts';
import { failureOf } from './errors.ts';

export interface NodeNetOptions {
  /** The host's address that the module's interfaces have; IPv4. */
  readonly ip: string;
  /** Added to every port that the module opens, those of its clients too, save 0. */
  readonly portOffset: number;
  /** Without it listeners refuse peers outside the loopback range: the real module's shell has no password. */
  readonly listenLan: boolean;
}

/** The address that stands for all of the host's. */
export const anyAddress = '0.0.0.0';

/** Reaches every program of the machine that listens on all addresses, and leaves it never. */
const loopbackBroadcast = '127.255.255.255';

const limitedBroadcast = '255.255.255.255';

const highestPort = 65_535;

/** Systems on which each address of the loopback range is this machine. */
const wholeLoopback: readonly NodeJS.Platform[] = ['linux', 'win32'];

/** What is wrong with an address for a module on this system, in one sentence; `undefined` for nothing that is known. */
export function addressProblem(
  ip: string,
  platform: NodeJS.Platform = process.platform,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined {
  if (!isLoopback(ip) || wholeLoopback.includes(platform)) return undefined;
  const known = Object.values(interfaces).some((addresses) => addresses?.some(({ address }) => address === ip));
  if (known) return undefined;
  return `Address ${ip} is not one of this machine's; modules of ${platform} share 127.0.0.1 and have a --port-offset each`;
}

export const isMulticast = (address: string): boolean => /^(22[4-9]|23\d)\./.test(address);

/** The host's port for one of the module; 0 stays 0. Spec: MOD-NET-port-offset. */
export function hostPortOf(port: number, { portOffset }: NodeNetOptions): Result<number, NetFailure> {
  const hostPort = port === 0 ? 0 : port + portOffset;
  if (hostPort <= highestPort) return success(hostPort);
  const detail = `Port ${port} with the offset ${portOffset} is over ${highestPort}`;
  return failure({ error: 'unreachable', detail });
}

/** IPv4 address of a name, as the host's resolver has it. */
export const resolveHost = (host: string): Promise<Result<string, NetFailure>> =>
  new Promise((resolve) => {
    if (isIP(host) === 4) resolve(success(host));
    else
      lookup(host, { family: 4 }, (error, address) => {
        resolve(error ? failure(failureOf(error, 'not-found')) : success(address));
      });
  });

/** The mask of the host's interface with this address. */
export function netmaskOf(ip: string): string {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => address.address === ip);
  return isLoopback(ip) ? '255.0.0.0' : (own?.netmask ?? '255.255.255.0');
}

/** The broadcast addresses that datagrams to this address of the host may carry; none for all addresses at once. */
export function broadcastsOf(ip: string): readonly string[] {
  if (ip === anyAddress) return [];
  return isLoopback(ip) ? [loopbackBroadcast] : [subnetBroadcast(ip), limitedBroadcast];
}

/** A broadcast of a module on the loopback range stays there: on the way out it would carry an impossible sender. */
export const outwardAddress = (address: string, ip: string): string =>
  address === limitedBroadcast && isLoopback(ip) ? loopbackBroadcast : address;

function subnetBroadcast(ip: string): string {
  const mask = netmaskOf(ip).split('.').map(Number);
  return ip
    .split('.')
    .map((part, index) => Number(part) | (~(mask[index] ?? 255) & 255))
    .join('.');
}
