/**
 * A device listener in a process of its own, whose memory is measured apart: `node --expose-gc listener-process.ts`, forked.
 * It sends where it is and what a device shows there. To each message it replies with its resident memory in bytes, once
 * what is no longer used has been collected.
 */
import { setImmediate } from 'node:timers/promises';
import { openRecords } from '../tables.ts';
import { buildApp } from './build-app.ts';
import { tlsDevices } from './tls-devices.ts';

/** What the process sends first. */
export interface ListenerAddress {
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const app = await buildApp(await openRecords('sqlite::memory:'));
const devices = await tlsDevices(app);
const { issued } = await devices.deviceOf();
const { certificate: cert, key } = issued;
const address: ListenerAddress = { port: devices.port, ca: app.service.identity.ca, cert, key };
process.send?.(address);
process.on('message', async () => {
  // What one collection lets go, such as sockets, may hold what only the next one finds.
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
  process.send?.(process.memoryUsage.rss());
});
