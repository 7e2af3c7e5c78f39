import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Client, createClient } from '@moorage/api';
import { seededRandom, unwrap, VirtualClock } from '@moorage/base';
import type { Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import type { Service } from '@moorage/service';
import { serviceInMemory } from '@moorage/service/in-memory';

/** Where modules find the service. */
export const place = { host: 'service.test', port: 443, insecure: true } as const;
const address = '10.255.0.1';

/** Turns of the event loop that a busy service gets before time goes on: whatever it does without waiting is done by then. */
const busyTurns = 20;

/** What the service has had to carry. */
export interface Load {
  requests: number;
  polls: number;
  bytes: number;
  /** Of one second of virtual time. */
  peakPolls: number;
  peakBytes: number;
}

/** Counts by second, and keeps the highest. */
class Peak {
  highest = 0;
  #second = -1;
  #sum = 0;

  add(second: number, n: number): void {
    if (second !== this.#second) this.#sum = 0;
    this.#second = second;
    this.#sum += n;
    this.highest = Math.max(this.highest, this.#sum);
  }
}

/** Bytes of a connection that is over. */
const bytesOf = (stream: Duplex): number =>
  ['bytesRead', 'bytesWritten'].reduce((sum, name) => sum + Number(Reflect.get(stream, name) ?? 0), 0);

/** A service, a network and a time that are all in this process. */
export class RehearsalWorld {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly api: Client;
  readonly #network: MemoryNetwork;
  readonly #nets = new Map<string, Net>();
  #load = { requests: 0, polls: 0, bytes: 0 };
  #peaks = { polls: new Peak(), bytes: new Peak() };
  /** Requests that are not answered yet. */
  #busy = 0;

  private constructor(clock: VirtualClock, network: MemoryNetwork, service: Service, token: string) {
    this.clock = clock;
    this.service = service;
    this.#network = network;
    this.api = createClient({ baseUrl: 'http://service', token, fetch: service.fetch });
  }

  static async open(startMs: number, seed: string): Promise<RehearsalWorld> {
    const clock = new VirtualClock(startMs);
    const network = new MemoryNetwork(clock, { random: seededRandom(`network ${seed}`) });
    const { service, token } = await serviceInMemory(clock);
    const world = new RehearsalWorld(clock, network, service, token);
    await world.#listen();
    return world;
  }

  get load(): Load {
    return { ...this.#load, peakPolls: this.#peaks.polls.highest, peakBytes: this.#peaks.bytes.highest };
  }

  /** Counts from nought. */
  resetLoad(): void {
    this.#load = { requests: 0, polls: 0, bytes: 0 };
    this.#peaks = { polls: new Peak(), bytes: new Peak() };
  }

  /** The network of a module, the same at each of its starts. */
  net(name: string, index: number): Net {
    const known = this.#nets.get(name);
    if (known) return known;
    const net = this.#network.attach(name, `10.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`);
    this.#nets.set(name, net);
    return net;
  }

  /** Lets time go on until a promise has settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = (): void => {
      settled = true;
    };
    promise.then(end, end);
    while (!settled) await this.#step(Number.POSITIVE_INFINITY);
    return promise;
  }

  /** Lets time go on to a moment, in ms since the epoch. */
  async goTo(atMs: number): Promise<void> {
    while (this.clock.now() < atMs) await this.#step(atMs - this.clock.now());
  }

  async close(): Promise<void> {
    await this.until(this.service.close());
  }

  /** From one timer to the next, at most so many ms. */
  async #step(longestMs: number): Promise<void> {
    for (let turn = 0; turn < busyTurns && (turn === 0 || this.#busy > 0); turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { nextAtMs = this.clock.monotonic() + 1 } = this.clock;
    await this.clock.advance(Math.min(longestMs, Math.max(0, nextAtMs - this.clock.monotonic())));
  }

  async #listen(): Promise<void> {
    const { server } = this.service.devices;
    const second = (): number => Math.floor(this.clock.monotonic() / 1000);
    server.prependListener('request', ({ method, url }: IncomingMessage, response: ServerResponse) => {
      this.#busy++;
      response.once('close', () => this.#busy--);
      this.#load.requests++;
      if (method !== 'POST' || url !== '/ota') return;
      this.#load.polls++;
      this.#peaks.polls.add(second(), 1);
    });
    const net = this.#network.attach(place.host, address);
    const listening = await net.listen(place.port, ({ stream, remoteAddress }) => {
      stream.once('close', () => {
        const n = bytesOf(stream);
        this.#load.bytes += n;
        this.#peaks.bytes.add(second(), n);
      });
      // What the server wants of a socket beside its bytes. Its timeouts are those of the host's clock, which is not ours.
      server.emit('connection', Object.assign(stream, { remoteAddress, setTimeout: () => stream }));
    });
    unwrap(listening);
  }
}
