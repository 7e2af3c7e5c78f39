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

/** `undefined` when it cannot be asked. */
function systemPing(address: string, timeoutMs: number): Promise<Result<number, NetFailure> | undefined> {
  const seconds = String(Math.max(1, Math.ceil(timeoutMs / 1000)));
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: { ...process.env, LC_ALL: 'C' } };
    execFile('ping', ['-n', '-c', '1', '-W', seconds, address], options, (error, output) => {
      const time = /time[=<]([\d.]+) ?ms/.exec(output)?.[1];
      if (time !== undefined) resolve(success(Number(time)));
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
