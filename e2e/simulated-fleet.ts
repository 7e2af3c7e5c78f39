import { argon2Sync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Client, createClient } from '@moorage/api';
import { type Random, seededRandom, sleep, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore, type PowerCut } from '@moorage/base/store/memory';
import { createModule, type Module } from '@moorage/module';
import type { Net } from '@moorage/net';
import { type Conditions, MemoryNetwork } from '@moorage/net/memory';
import { buildService, type Service } from '@moorage/service';
import { issueToken } from '@moorage/service/core/auth/accounts';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import type { Storage } from '@moorage/service/engine/db/storage';
import { hashSecret, newTokenValue } from '@moorage/service/engine/secrets';
import { fixtures, injectFetch, testSettings, testStartMs } from '@moorage/service/testing/index';
import { BoardPower } from './board-power.ts';

/** What a fleet has to bear. Percentages are chances out of 100. */
export interface Weather {
  /** Of each connection: that it is cut somewhere, or never answered. */
  readonly lostConnections: number;
  /** Of each operation of a module's store: that the power goes during it. */
  readonly powerCuts: number;
}

/** Where modules find the service. */
export const host = { name: 'ota.test', ip: '10.9.9.9', port: 443 } as const;
const latencyMs = 2;
/** How far virtual time goes between two looks at whether the service is busy, in ms; and where it is. */
const stepMs = 100;
const busyStepMs = 1;
/** Turns of the event loop that a busy service gets for each such step. */
const busyTurns = 20;

/** The service on the simulated network: connections of modules go to its device listener, which never listens. */
export class SimulatedService {
  readonly #storage: Storage;
  readonly #clock: VirtualClock;
  readonly #blobs;
  readonly #streams = new Set<Duplex>();
  #service: Service | undefined;
  /** Requests that are not answered yet: while there are any, time goes slowly. */
  busy = 0;

  constructor(storage: Storage, clock: VirtualClock) {
    this.#storage = storage;
    this.#clock = clock;
    this.#blobs = memoryBlobs(clock);
  }

  get running(): Service {
    if (!this.#service) throw new Error('The service does not run');
    return this.#service;
  }

  get blobs() {
    return this.#blobs;
  }

  async start(): Promise<void> {
    const settings = { ...testSettings, deviceInsecure: true };
    const parts = { storage: this.#storage, blobs: this.#blobs, clock: this.#clock };
    const service = await buildService({ settings, ...parts, logLevel: 'silent' });
    await Promise.all([service.api.ready(), service.devices.ready()]);
    service.devices.server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      this.busy++;
      response.once('close', () => this.busy--);
    });
    this.#service = service;
  }

  async attach(net: Net): Promise<void> {
    const listening = await net.listen(host.port, ({ stream, remoteAddress }) => {
      const service = this.#service;
      if (!service) {
        stream.destroy();
        return;
      }
      this.#streams.add(stream);
      stream.once('close', () => this.#streams.delete(stream));
      // What the server wants of a socket beside its bytes. Its timeouts are those of the host's clock, which is not ours.
      const socket = Object.assign(stream, { remoteAddress, setTimeout: () => stream });
      service.devices.server.emit('connection', socket);
    });
    unwrap(listening);
  }

  /** Every connection breaks off, whatever was under way; nothing is answered until the next start. */
  async crash(): Promise<void> {
    const { running } = this;
    this.#service = undefined;
    for (const stream of this.#streams) stream.destroy();
    await running.close();
  }

  client(token: string): Client {
    const inject = injectFetch(this.running.api);
    const fetch: typeof inject = async (...request) => {
      this.busy++;
      try {
        return await inject(...request);
      } finally {
        this.busy--;
      }
    };
    return createClient({ baseUrl: 'http://service', token, fetch });
  }
}

/** A module, the host software behind its serial port, and what the two have had confirmed. */
export interface Boat {
  readonly index: number;
  readonly random: Random;
  readonly net: Net;
  store: MemoryStore;
  /** Samples that the module has taken; the next one has this number. */
  readonly taken: number[];
  nextSample: number;
  /** Times that the power went, and that the module booted. */
  cuts: number;
  boots: number;
}

const capabilities = JSON.stringify({
  name: 'Tide gauge',
  version: '1.0.0',
  streams: { level: { type: 'number', min: 0, max: 100_000 } },
});

/** Real and cheap to check: two hundred real ones would take longer than all the rest. */
function cheapHash(password: string): string {
  const nonce = Buffer.alloc(16, 1);
  const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, memory: 8, passes: 1, parallelism: 1 });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=8,t=1,p=1$${text(nonce)}$${text(tag)}`;
}

const password = 'correct horse';

/** A product whose release has several files. */
export async function release(make: ReturnType<typeof fixtures>, ownerId: string, seed: number) {
  const platform = await make.platform();
  const product = await make.product({ platform_id: platform.id, user_id: ownerId });
  const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  const of = { product_id: product.id, firmware_id: firmware.id, user_id: ownerId };
  const bundle = await make.bundle({ ...of, state: 'published', tag: 'release' });
  const files = [9_000, 300, 2_500].map((size, index) => ({
    filename: `web/file-${index}.bin`,
    content: Buffer.from(seededRandom(`file ${seed} ${index}`).bytes(size)),
  }));
  for (const { filename, content } of files) await make.resource(content, { bundle_id: bundle.id, filename });
  return { platform, product, bundle, files };
}

/** Runs until a promise has settled; time goes on while the service has nothing to do. */
export async function runUntil<T>(clock: VirtualClock, service: SimulatedService, promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = () => {
    settled = true;
  };
  promise.then(end, end);
  while (!settled) {
    // A request may wait for its database, or for bytes that are under way: both get their time.
    for (let turn = 0; turn < busyTurns && service.busy > 0 && !settled; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await clock.advance(service.busy > 0 ? busyStepMs : stepMs);
  }
  return promise;
}

const chance = ({ random }: Boat, percent: number): boolean => random.below(100) < percent;

/** What becomes of each connection that a boat opens. */
const conditionsOf =
  (boats: readonly Boat[], weather: Weather) =>
  ({ from }: { readonly from: string }): Conditions => {
    const boat = boats[Number(/^boat (\d+)$/.exec(from)?.[1])];
    if (!boat || !chance(boat, weather.lostConnections)) return { latencyMs };
    const how = boat.random.below(3);
    if (how === 0) return { latencyMs, silent: true };
    if (how === 1) return { latencyMs, cutAfterSentBytes: boat.random.below(600) };
    return { latencyMs, cutAfterBytes: boat.random.below(8_000) };
  };

/** When the power goes next: each operation has the same chance. */
function nextCutOf(boat: Boat, weather: Weather): PowerCut {
  let atOperation = 0;
  while (!chance(boat, weather.powerCuts)) atOperation++;
  return { atOperation, effect: chance(boat, 50) ? 'kept' : 'lost' };
}

/** Modules that are commissioned at the same time. */
const commissionedAtOnce = 20;

/** A product with a release of several files, and modules that are provisioned and activated to it. */
export async function simulatedFleet(storage: Storage, count: number, seed: number, weather: Weather) {
  const clock = new VirtualClock(testStartMs);
  const network = new MemoryNetwork(clock, { random: seededRandom(`network ${seed}`) });
  const service = new SimulatedService(storage, clock);
  await service.start();
  await service.attach(network.attach(host.name, host.ip));

  const make = fixtures({ storage, blobs: service.blobs, clock });
  const owner = await make.admin({ password_hash: cheapHash(password) });
  const { token } = await issueToken(service.running.deps, owner.id, 'fleet');
  const released = await release(make, owner.id, seed);
  const { platform, product } = released;

  const powerOn = async (boat: Boat, { store, net }: Pick<BoardPower, 'store' | 'net'>): Promise<Module> => {
    boat.boots++;
    const module = await createModule({
      clock,
      store,
      net,
      seed: `${seed} ${boat.index}`,
      service: { host: host.name, port: host.port, insecure: true },
    });
    await module.boot();
    return module;
  };

  /** In fine weather: joins, stores what it can do, gets a certificate, is activated at the data cloud. */
  async function commission(boat: Boat): Promise<void> {
    const module = await powerOn(boat, boat);
    const provisioning = newTokenValue();
    await make.device({
      platform_id: platform.id,
      product_id: product.id,
      user_id: owner.id,
      uuid: module.identity.uuid.toLowerCase(),
      provision_token_hash: hashSecret(provisioning),
      provision_status: 'pending',
    });
    const run = async (line: string, data?: Buffer) => {
      const { code, text } = await module.execute(line, data);
      if (code !== 0) throw new Error(`"${line}" answered ${code} ${text}: ${module.log.entries().at(-1)}`);
    };
    await run('set wlan.ssid harbour-open');
    await run('save');
    await run(`file_create gauge.json ${capabilities.length}`, Buffer.from(capabilities));
    const provisioned = await module.client.provision(provisioning);
    if (!provisioned.ok) throw new Error(provisioned.error.message);
    await run(`cloud_activate ${owner.username} "${password}" gauge.json`);
    await module.close();
  }

  const boats: Boat[] = [];
  for (let index = 0; index < count; index++) {
    const net = network.attach(`boat ${index}`, `10.1.${index >> 8}.${index & 255}`);
    const random = seededRandom(`boat ${seed} ${index}`);
    const more = { taken: [], nextSample: 0, cuts: 0, boots: 0 };
    boats.push({ index, random, net, store: new MemoryStore(), ...more });
  }
  const until = <T>(promise: Promise<T>): Promise<T> => runUntil(clock, service, promise);
  // Some at a time: a machine that does other things meanwhile refuses what would wait for a connection too long.
  for (let first = 0; first < count; first += commissionedAtOnce) {
    await until(Promise.all(boats.slice(first, first + commissionedAtOnce).map(commission)));
  }
  network.conditions = conditionsOf(boats, weather);
  const nextCut = (boat: Boat): PowerCut => nextCutOf(boat, weather);
  return { clock, service, boats, ...released, owner, token, until, powerOn, nextCut };
}

export type SimulatedFleet = Awaited<ReturnType<typeof simulatedFleet>>;

/** What the host software does between two rounds, in ms. */
const roundMs = 5_000;

/**
 * The life of one module until it runs the bundle, the service knows it, and every sample has been pushed: its host
 * writes samples, asks for updates, and switches it on again whenever the power has gone.
 *
 * @param samples how many it takes in all
 */
export async function sail(
  { clock, powerOn, nextCut }: SimulatedFleet,
  boat: Boat,
  bversion: string,
  samples: number,
): Promise<void> {
  for (;;) {
    const power = new BoardPower(boat.store.survivor(nextCut(boat)), boat.net);
    let module: Module | undefined;
    const voyage = async (): Promise<void> => {
      module = await powerOn(boat, power);
      while (!(await round(module, boat, bversion, samples))) await sleep(clock, roundMs + boat.random.below(roundMs));
      await module.close();
    };
    await Promise.race([voyage(), power.gone]);
    boat.store = power.memory.survivor();
    if (power.isOn) return;
    boat.cuts++;
    // What it would still do by itself, it does no more; what it was doing is not awaited.
    void module?.close();
    await sleep(clock, 1_000);
  }
}

/** One round of the host; returns whether there is nothing left to do. */
async function round(module: Module, boat: Boat, bversion: string, samples: number): Promise<boolean> {
  const { nextSample } = boat;
  if (nextSample < samples) {
    // One that was cut short may have been taken or not: the host goes on with another.
    boat.nextSample++;
    if ((await module.execute(`cloud_write level,${nextSample}`)).code === 0) boat.taken.push(nextSample);
  }
  const runs = module.client.installed()?.bversion === bversion && !module.client.reportPending;
  if (!runs) await module.execute('ota');
  const { code } = await module.execute('cloud_sync push');
  return runs && boat.nextSample >= samples && code === 0;
}
