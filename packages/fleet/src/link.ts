import type { Duplex } from 'node:stream';
import { type Clock, failure, type Random, type Result, sleep, success } from '@moorage/base';
import type { Connection, DialOptions, Listener, Net, NetFailure, SecureOptions } from '@moorage/net';
import type { Conditions } from '@moorage/net/memory';
import { pairOfEnds } from '@moorage/net/memory/end';
import type { Power } from './power.ts';
import type { LinkSettings } from './scenario.ts';

/** Bytes that a fleet has sent and received, of connections that are over. */
export interface Traffic {
  sentBytes: number;
  receivedBytes: number;
}

interface LinkParts {
  readonly net: Net;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: LinkSettings | undefined;
  readonly power: Power;
  /** Resolves when a connection may be opened. */
  readonly turn: () => Promise<void>;
  readonly traffic: Traffic;
}

/** Where a connection that gets lost is cut, in bytes; a longer one gets through. */
const cutWithinBytes = { sent: 4_000, received: 20_000 } as const;

/** What becomes of the next connection; `undefined` when nothing does. */
export function drawConditions(settings: LinkSettings = {}, random: Random): Conditions | undefined {
  const {
    bytes_per_s: bytesPerSecond,
    jitter_ms: jitterMs = 0,
    latency_ms: latencyMs = 0,
    lost_percent = 0,
  } = settings;
  const line = { latencyMs, jitterMs, ...(bytesPerSecond !== undefined && { bytesPerSecond }) };
  if (lost_percent > 0 && random.below(10_000) < lost_percent * 100) {
    const how = random.below(3);
    if (how === 0) return { ...line, silent: true };
    if (how === 1) return { ...line, cutAfterSentBytes: random.below(cutWithinBytes.sent) };
    return { ...line, cutAfterBytes: random.below(cutWithinBytes.received) };
  }
  return latencyMs > 0 || jitterMs > 0 || bytesPerSecond !== undefined ? line : undefined;
}

/** Joins two streams: what ends or breaks one does so to the other. */
function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  for (const [near, far] of [
    [one, other],
    [other, one],
  ] as const) {
    near.on('error', () => far.destroy());
    near.on('close', () => far.destroy());
  }
}

const counted = (stream: Duplex, name: 'bytesRead' | 'bytesWritten'): number => {
  const value: unknown = Reflect.get(stream, name);
  return typeof value === 'number' ? value : 0;
};

/**
 * The network behind the radio of one module of a fleet: any other network, with what the link does to connections. Nobody
 * calls such a module: its listeners and its datagrams lead nowhere.
 */
export class TwinNet implements Net {
  readonly #parts: LinkParts;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  dial({ tls, ...options }: DialOptions): Promise<Result<Connection, NetFailure>> {
    const { power, turn } = this.#parts;
    return power.run(async () => {
      await turn();
      const opened = await this.#open(options);
      if (!opened.ok || !tls) return opened;
      return this.secure(opened.value, { host: options.host, tls, timeoutMs: options.timeoutMs });
    });
  }

  secure(connection: Connection, options: SecureOptions): Promise<Result<Connection, NetFailure>> {
    return this.#parts.net.secure(connection, options);
  }

  async listen(port: number): Promise<Result<Listener, NetFailure>> {
    return success({ address: this.lease().ip, port, close: async () => {} });
  }

  async datagrams({ port }: { readonly port: number }): ReturnType<Net['datagrams']> {
    return success({ address: this.lease().ip, port, send: async () => success(undefined), close: async () => {} });
  }

  resolve(host: string): Promise<Result<string, NetFailure>> {
    return this.#parts.net.resolve(host);
  }

  ping(host: string, timeoutMs: number): Promise<Result<number, NetFailure>> {
    return this.#parts.net.ping(host, timeoutMs);
  }

  lease(): ReturnType<Net['lease']> {
    return this.#parts.net.lease();
  }

  async #open(options: DialOptions): Promise<Result<Connection, NetFailure>> {
    const { clock, net, power, random, settings, traffic } = this.#parts;
    const conditions = drawConditions(settings, random);
    if (conditions?.silent) {
      await sleep(clock, options.timeoutMs);
      return failure({ error: 'timeout', detail: `No answer in ${options.timeoutMs} ms` });
    }
    if (conditions?.latencyMs) await sleep(clock, 2 * conditions.latencyMs);
    const opened = await net.dial(options);
    if (!opened.ok) return opened;
    const { stream } = opened.value;
    power.carry(stream);
    stream.once('close', () => {
      traffic.sentBytes += counted(stream, 'bytesWritten');
      traffic.receivedBytes += counted(stream, 'bytesRead');
    });
    if (!conditions) return opened;
    const [near, far] = pairOfEnds(clock, random, conditions);
    join(far, stream);
    power.carry(near);
    const { keepAlive: _, ...connection } = opened.value;
    return success({ ...connection, stream: near });
  }
}
