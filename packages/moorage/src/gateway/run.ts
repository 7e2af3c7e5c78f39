import { randomInt, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ProductRecord } from '@moorage/api';
import { realClock, seededRandom } from '@moorage/base';
import { makeFolder } from '@moorage/base/disk/folder';
import { type DiskLock, lockFolder } from '@moorage/base/disk/lock';
import { DiskStore } from '@moorage/base/disk/store';
import {
  type FoundModule,
  find,
  identify,
  type ModuleNotice,
  oldBackups,
  openDriver,
  RepresentedModule,
  Slots,
  usualBroadcastPort,
} from '@moorage/gateway';
import { productNamed } from '../client/lookups.ts';
import { CallError, type ServiceClient } from '../client/service-client.ts';
import { parseServiceUrl } from '../client/service-url.ts';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { writeOwn } from '../files/private-file.ts';
import { type AdoptedModule, type GatewayConfig, readGatewayConfig, writeGatewayConfig } from './config.ts';
import { hostPorts } from './host-ports.ts';
import { productFor } from './make-product.ts';
import type { Reached } from './reach-module.ts';
import { type AskedAdoption, reportFoundModules } from './reports.ts';

export interface GatewaySettings {
  readonly folder: string;
  readonly ip: string;
  readonly service: string | undefined;
  /** MAC addresses of modules that speak to the service themselves. */
  readonly known?: readonly string[];
}

/** How a module is to be adopted. */
export interface Adoption {
  readonly address: string;
  readonly product: string;
  /** A product that is not there is made, with all that it needs. */
  readonly makesProduct?: boolean;
  /** What it measures; without it what it did when it was adopted before. */
  readonly measured?: AdoptedModule['measured'];
  readonly open: () => Promise<Reached>;
  /** Who it has to be. */
  readonly mac?: string | null;
}

const provisioningComplete = 3;

/** How long broadcasts are waited for: a module sends one every ten seconds unless told otherwise. */
const listenMs = 12_000;

/** Modules that are written to at one time. */
const pushesAtOnce = 4;

/** The modules of one gateway, and what stands for each at the service. */
export class Gateway {
  readonly #settings: GatewaySettings;
  readonly #reporter: Reporter;
  /** Logs in at the REST API, which only an adoption needs. */
  readonly #login: () => Promise<ServiceClient>;
  readonly #running = new Map<string, { readonly module: RepresentedModule; readonly store: DiskStore }>();
  readonly #slots = new Slots(pushesAtOnce);
  #config: GatewayConfig = { modules: [] };
  #lock: DiskLock | undefined;
  #stopReports = async (): Promise<void> => {};

  constructor(settings: GatewaySettings, reporter: Reporter, login: () => Promise<ServiceClient>) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#login = login;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Stands for every module that has been adopted before. */
  async start(): Promise<void> {
    const { folder, service } = this.#settings;
    const place = service ?? (await readGatewayConfig(folder)).service;
    if (place === undefined)
      throw new UserError('Option --service is missing: the device listener of the service, https://HOST:PORT', 2);
    parseServiceUrl(place);
    this.#lock = await lockOf(folder);
    const config = await readGatewayConfig(folder);
    this.#config = { id: randomUUID(), ...config, service: place };
    if (config.id === undefined) await writeGatewayConfig(folder, this.#config);
    for (const module of config.modules) {
      // One whose adoption was cut, and cannot go on yet, keeps no other away.
      await this.#represent(module).catch(async (error: unknown) => {
        if (module.isClaimed || !(error instanceof UserError)) throw error;
        await this.#leave(module.mac);
        const { address, mac } = module;
        const why = error.message;
        this.#reporter.event('not-adopted', { mac, address, why }, `${mac} at ${address} is not adopted yet: ${why}`);
      });
    }
  }

  /** Makes a module a device of the service, and stands for it from now on. Each step that has been done is left out. */
  async adopt({ address, product, makesProduct = false, open, mac: wanted, ...more }: Adoption): Promise<void> {
    const { driver, options } = await open();
    const found = await identify(driver).finally(() => driver.close());
    if (!found.ok) throw new UserError(`${address}: ${found.error.detail}`);
    const { mac } = found.value;
    if (typeof wanted === 'string' && wanted !== mac) throw new UserError(`${address}: Another module is there now`);
    const before = this.#config.modules.find((module) => module.mac === mac);
    const isClaimed = before?.isClaimed === true && before.product === product;
    const measured = more.measured ?? before?.measured;
    const adopted = {
      ...found.value,
      ...options,
      ...(measured && { measured }),
      ...(makesProduct && { makesProduct }),
      address,
      product,
      isClaimed,
    };
    await this.#keep(mac, adopted);
    await this.#leave(mac);
    try {
      await this.#represent(adopted);
    } catch (error) {
      // The next start would fail on it.
      await this.#leave(mac);
      await this.#keep(mac, before);
      throw error;
    }
  }

  /** Reports what is found to the service from now on, and adopts what is asked for there. Passwords are not known of these. */
  reportFoundModules(): void {
    const { ip, known = [] } = this.#settings;
    const ports = hostPorts(ip);
    const macs = (): Set<string> => new Set([...known, ...this.#config.modules.map(({ mac }) => mac)]);
    const hasAdopted = ({ mac, addresses }: FoundModule): boolean =>
      (mac !== undefined && macs().has(mac)) || this.#config.modules.some(({ address }) => addresses.includes(address));
    const adopt = async ({ address, mac, product_id: product }: AskedAdoption): Promise<void> => {
      const open = async (): Promise<Reached> => {
        const opened = await openDriver(ports, address);
        if (opened.ok) return { driver: opened.value, options: {} };
        throw new UserError(`${address}: ${opened.error.detail}`);
      };
      await this.adopt({ address, mac, product, open });
    };
    this.#stopReports = reportFoundModules({
      clock: realClock,
      reporter: this.#reporter,
      id: this.#config.id ?? '',
      name: hostname().slice(0, 64) || 'gateway',
      login: this.#login,
      search: async () => (await find(ports, { listenMs, broadcastPort: usualBroadcastPort, known: macs() })).modules,
      hasAdopted,
      adopt,
    });
  }

  async stop(): Promise<void> {
    await this.#stopReports();
    for (const mac of [...this.#running.keys()]) await this.#leave(mac);
    await this.#lock?.release();
    this.#lock = undefined;
  }

  async #leave(mac: string): Promise<void> {
    const running = this.#running.get(mac);
    this.#running.delete(mac);
    await running?.module.stop();
    await running?.store.close();
  }

  /** Keeps what is known of a module; `undefined` forgets it. */
  async #keep(mac: string, module: AdoptedModule | undefined): Promise<void> {
    const others = this.#config.modules.filter((one) => one.mac !== mac);
    this.#config = { ...this.#config, modules: [...others, ...(module ? [module] : [])] };
    await writeGatewayConfig(this.#settings.folder, this.#config);
  }

  async #represent(adopted: AdoptedModule): Promise<void> {
    const { folder, ip } = this.#settings;
    const { address, mac, uuid, version, username, password, ca, baud, measured } = adopted;
    const name = mac.replaceAll(':', '').toLowerCase();
    const store = await DiskStore.open(join(folder, 'modules', name));
    const module = await RepresentedModule.open({
      ports: hostPorts(ip),
      random: seededRandom(randomInt(2 ** 32)),
      store,
      place: { address, mac, username, password, ca, baud },
      uuid,
      version,
      measured,
      slots: this.#slots,
      service: parseServiceUrl(this.#config.service ?? ''),
      keepBackup: (file, archive) => keepBackup(join(folder, 'backups', name), file, archive),
      notify: (notice) => this.#tell(adopted, notice),
    });
    this.#running.set(mac, { module, store });
    if (module.client.provisionStatus !== provisioningComplete || !adopted.isClaimed)
      await this.#introduce(adopted, module);
    module.start();
  }

  /** Provisions and claims a module. */
  async #introduce(adopted: AdoptedModule, module: RepresentedModule): Promise<void> {
    const { address, mac, uuid, product: code, makesProduct = false } = adopted;
    const service = await this.#login();
    const product = makesProduct ? await productFor(service, code, adopted) : await productNamed(service, code);
    if (module.client.provisionStatus !== provisioningComplete) {
      const ca = Buffer.from((await service.call('identity.authority', {})).value).toString();
      const done = await module.client.provision(await tokenFor(service, adopted, product), ca);
      if (!done.ok) throw new UserError(`${address}: The module could not be provisioned: ${done.error.message}`);
    }
    const params = { identifier: uuid.toLowerCase() };
    const device = (await service.call('devices.get', { params })).value;
    if (device.user_id === null) {
      const made = await service.call('products.addToken', { params: { product_id: product.id }, body: { uses: 1 } });
      const claimed = await module.client.claim({ product: product.product, token: made.value.token ?? '' });
      if (!claimed.ok) throw new UserError(`${address}: The module could not be claimed: ${claimed.error.message}`);
    } else if (device.product_id !== product.id) {
      const activated = await module.client.activate(product.product);
      if (!activated.ok)
        throw new UserError(`${address}: The module could not be activated: ${activated.error.message}`);
    }
    await this.#keep(mac, { ...adopted, isClaimed: true });
    const facts = { mac, uuid, address, device: device.id, product: product.product };
    this.#reporter.event('adopted', facts, `Adopted ${mac} at ${address} as a device of ${product.product}`);
  }

  #tell({ mac }: AdoptedModule, notice: ModuleNotice): void {
    const { type } = notice;
    if (type === 'device') {
      const { event } = notice;
      if (event.type === 'updated')
        this.#reporter.event('updated', { mac, bversion: event.bversion }, `${mac}: runs ${event.bversion}`);
      else if (event.type === 'failed')
        this.#reporter.event('failed', { mac, message: event.message }, `${mac}: ${event.message}`);
    } else if (type === 'no-bundle')
      this.#reporter.event(type, { mac }, `${mac}: has nothing to do, its product has no bundle for it`);
    else if (type === 'online') this.#reporter.event(type, { mac }, `${mac}: answers`);
    else if (type === 'offline') this.#reporter.event(type, { mac, why: notice.why }, `${mac}: is away: ${notice.why}`);
    else this.#reporter.event(type, { mac, text: notice.text }, `${mac}: ${notice.text}`);
  }
}

/** Writes a backup of a module, and deletes the oldest ones. */
async function keepBackup(folder: string, file: string, archive: Uint8Array): Promise<void> {
  await writeOwn(join(folder, file), archive);
  for (const old of oldBackups(await readdir(folder))) await rm(join(folder, old), { force: true });
}

/** Takes a folder, made when it is missing, for this gateway alone: two would overwrite what the other has adopted. */
async function lockOf(folder: string): Promise<DiskLock> {
  const fail = (why: string, cause?: unknown) =>
    new UserError(`Option --data: folder "${folder}" ${why}`, 1, { cause });
  let lock: DiskLock | undefined;
  try {
    makeFolder(folder, 0o700);
    lock = await lockFolder(folder);
  } catch (error) {
    throw fail(`cannot be used: ${(error as Error).message}`, error);
  }
  if (!lock) throw fail('is in use by another gateway');
  return lock;
}

/** A provisioning token for a device that is new to the service, or that has lost its certificate. */
async function tokenFor(service: ServiceClient, { uuid, mac }: AdoptedModule, product: ProductRecord): Promise<string> {
  try {
    const params = { identifier: uuid.toLowerCase() };
    const { id } = (await service.call('devices.get', { params })).value;
    return (await service.call('devices.renewToken', { params: { device_id: id } })).value.token;
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 404) throw error;
    const body = { uuid: uuid.toLowerCase(), platform_id: product.platform_id, mac };
    return (await service.call('devices.provision', { body })).value.token;
  }
}
