import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { realClock } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { MemoryStore, SharedContents } from '@moorage/base/store/memory';
import { Fleet, type FleetScenario, type OpenStore, parseScenario, plainScenario } from '@moorage/fleet';
import { nodeNet } from '@moorage/net/node';
import { productNamed } from '../client/lookups.ts';
import { connect } from '../client/service-client.ts';
import { parseServiceUrl } from '../client/service-url.ts';
import { UserError } from '../command-line/define.ts';
import { readGivenText } from '../files/given-file.ts';
import { clockOf } from '../module/run.ts';
import type { FleetFlags } from './options.ts';

/** Where devices call a service unless a setting says otherwise. */
const usualDevicePort = 8443;

/** Open files that the program has beside those of its modules. */
const ownFiles = 64;

/** A module has one connection at a time; with a folder for its flash two more files. */
const filesEach = (hasFolder: boolean): number => (hasFolder ? 3 : 1);

async function openFileLimit(): Promise<number> {
  // Where there is no such file, the first connection too many says so.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files +(\S+)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Refuses more modules than this process can have files open for. @throws {UserError} */
export async function checkOpenFiles(count: number, hasFolder: boolean, workers: number): Promise<void> {
  const limit = await openFileLimit();
  const each = filesEach(hasFolder);
  const here = Math.ceil(count / Math.max(1, workers));
  const needed = here * each + ownFiles;
  if (needed <= limit) return;
  const most = Math.max(0, Math.floor((limit - ownFiles) / each));
  throw new UserError(
    `${here} modules in one process need ${needed} open files, and this one may have ${limit}, enough for ${most}: ` +
      `raise the limit ("ulimit -n ${needed}"; for good LimitNOFILE of its unit, or limits.conf), or spread them with --workers`,
    2,
  );
}

async function readScenario(path: string | undefined): Promise<FleetScenario> {
  if (path === undefined) return plainScenario;
  const read = parseScenario(await readGivenText(path, 'scenario'));
  if (!read.ok) throw new UserError(`The scenario "${path}" is wrong: ${read.error}`, 2);
  return read.value;
}

interface State {
  readonly seed: string;
  readonly count: number;
}

/** What a folder of a fleet was begun with; written at the first start. @throws {UserError} when that was something else */
async function readState(folder: string, wanted: State, seedGiven: boolean): Promise<State> {
  const path = join(folder, 'fleet.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, `${JSON.stringify(wanted)}\n`, { mode: 0o600 });
    return wanted;
  }
  let kept: Partial<State>;
  try {
    kept = JSON.parse(text) as Partial<State>;
  } catch (cause) {
    throw new UserError(`"${path}" is not JSON: ${(cause as Error).message}`, 1, { cause });
  }
  const { count, seed } = kept;
  if (typeof seed !== 'string' || typeof count !== 'number') throw new UserError(`"${path}" is no state of a fleet`);
  if (seedGiven && seed !== wanted.seed) throw new UserError(`The fleet in "${folder}" has seed ${seed}`, 2);
  // The groups are shares of the count: another one would make other modules of the same flash.
  if (count !== wanted.count) throw new UserError(`The fleet in "${folder}" has ${count} modules: --count ${count}`, 2);
  return { count, seed };
}

/** How the flash of each module is opened: in a folder, or in memory with what others have already. */
function storesOf(folder: string | undefined): (index: number) => Promise<OpenStore> {
  const shared = new SharedContents();
  return async (index) => {
    if (folder === undefined) return { store: new MemoryStore({ shared }), close: async () => {} };
    const parent = join(folder, 'modules');
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const store = await DiskStore.open(join(parent, String(index + 1).padStart(6, '0')));
    return { store, close: () => store.close() };
  };
}

/** Where devices reach the service: the given address, or the usual port of the API's host. */
const deviceListenerOf = (given: string | undefined, api: string) =>
  parseServiceUrl(given ?? `https://${new URL(api).hostname}:${usualDevicePort}`);

/** A fleet that is ready to start, and how its clock is stopped. */
interface ReadyFleet {
  readonly fleet: Fleet;
  /** What it is, for its user. */
  readonly facts: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Asks the service for what a fleet needs, and puts it together. @throws {UserError} for what is missing or wrong */
export async function openFleet(flags: FleetFlags, newSeed: () => string): Promise<ReadyFleet> {
  const { count, state: folder } = flags;
  const service = await connect(flags);
  const product = await productNamed(service, flags.product, 'Option --product');
  const platform = (await service.call('platforms.get', { params: { platform_id: product.platform_id } })).value;
  const ca = Buffer.from((await service.call('identity.authority', {})).value as Uint8Array).toString();
  const scenario = await readScenario(flags.scenario);
  const wanted = { count, seed: flags.seed === undefined ? newSeed() : String(flags.seed) };
  const { seed } = folder === undefined ? wanted : await readState(folder, wanted, flags.seed !== undefined);
  const login = flags.username === undefined ? undefined : { username: flags.username, password: flags.password ?? '' };
  if (!login && scenario.groups.some(({ host }) => host)) {
    throw new UserError('The scenario has hosts that write samples: --username says whose data cloud they are for', 2);
  }
  const time = clockOf(flags.time);
  const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
  const place = deviceListenerOf(flags.service, service.api);
  const fleet = new Fleet({
    api: createClient({ baseUrl: service.api, token: service.token }),
    product,
    partId: platform.part_id,
    service: place,
    ...{ ca, count, login, scenario, seed },
    part: flags.part,
    clock: time.clock,
    hostClock: realClock,
    net: () => net,
    openStore: storesOf(folder),
    ratePerS: flags.rate,
  });
  const devices = `${place.insecure ? 'http' : 'https'}://${place.host}:${place.port}`;
  const facts = { count, product: product.product, api: service.api, devices, seed, state: folder ?? null };
  const stop = async (): Promise<void> => {
    await fleet.stop();
    time.stop();
  };
  return { fleet, facts, stop };
}
