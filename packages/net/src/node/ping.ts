import { execFile } from 'node:child_process';
import { failure, type Result, realClock, success } from '@moorage/base';
import type { NetFailure } from '../ports.ts';
import { timedOut } from './errors.ts';
import { openSocket } from './sockets.ts';

/** Whatever a host does with this port, refusing included, shows that it is there. */
const echoPort = 7;

/**
 * Round trip to an IPv4 address, in ms. The host's own `ping` may send what programs may not; where there is none, or
 * it may not either, a connection is tried instead.
 */
export async function pingHost(address: string, ip: string, timeoutMs: number): Promise<Result<number, NetFailure>> {
  return (await systemPing(address, timeoutMs)) ?? tcpPing(address, ip, timeoutMs);
}

/** Arguments of a system's `ping` for one echo, its answer awaited for so long. */
export function pingArguments(address: string, timeoutMs: number, platform: NodeJS.Platform): readonly string[] {
  const milliseconds = String(Math.max(1, timeoutMs));
  if (platform === 'win32') return ['-n', '1', '-w', milliseconds, address];
  const wait = platform === 'darwin' ? milliseconds : String(Math.max(1, Math.ceil(timeoutMs / 1000)));
  return ['-n', '-c', '1', '-W', wait, address];
}

/** The round trip that a system's `ping` prints, in ms, in any language; `undefined` when it prints none. */
export const pingTime = (output: string): number | undefined => {
  const time = /[=<] ?([\d.]+) ?ms/.exec(output)?.[1];
  return time === undefined ? undefined : Number(time);
};

/** `undefined` when it cannot be asked. */
function systemPing(address: string, timeoutMs: number): Promise<Result<number, NetFailure> | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: { ...process.env, LC_ALL: 'C' } };
    execFile('ping', pingArguments(address, timeoutMs, process.platform), options, (error, output) => {
      const time = pingTime(output);
      if (time !== undefined) resolve(success(time));
      // Code 1 is a host that stays silent, a kill is our own; anything else is no word about the host.
      else if (error?.code === 1 || error?.killed) resolve(failure(timedOut(timeoutMs)));
      else resolve(undefined);
    });
  });
}

async function tcpPing(address: string, ip: string, timeoutMs: number): Promise<Result<number, NetFailure>> {
  const startMs = realClock.monotonic();
  const opened = await openSocket({ host: address, port: echoPort, timeoutMs }, address, ip);
  if (opened.ok) opened.value.stream.destroy();
  if (opened.ok || opened.error.error === 'refused') return success(realClock.monotonic() - startMs);
  return opened;
}
