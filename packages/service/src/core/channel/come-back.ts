import { randomInt } from 'node:crypto';
import { type ComeBack, channelCloses } from '@moorage/api';
import type { ChannelConnection } from './connection.ts';

/** The first device comes back after this, in ms; all of them take at least as long again. */
const firstBackMs = 1_000;
/** Devices that come back in a second, of which half the rate of handshakes is for others: those of other nodes. */
const backPerSecond = 250;

/** Sends a device away, to come back at a time of its own among those of so many. Spec: API-CHAN-come-back. */
export function sendBack(connection: ChannelConnection, together: number): void {
  const spreadMs = Math.max(firstBackMs, (together * 1_000) / backPerSecond);
  const comeBack: ComeBack = {
    action: 'come_back',
    after_ms: Math.floor(firstBackMs + randomInt(Math.ceil(spreadMs))),
  };
  connection.send(comeBack);
  connection.close(channelCloses.restarting, 'restarting');
}
