import { type Random, success } from '@moorage/base';
import { DeviceClient } from './client.ts';
import { DataCloud, type DataNotices } from './data/data-cloud.ts';
import type { DeviceFiles, DevicePorts, ServiceSettings } from './ports.ts';
import { StoreFiles } from './store-files.ts';

/** What a device is made of. Only what follows `random` may be left out. */
export interface DeviceOptions extends Pick<DevicePorts, 'clock' | 'net' | 'store' | 'identity'> {
  readonly service: ServiceSettings;
  /** Version text of the program, reported until a bundle is installed; at most 255 characters. */
  readonly version: string;
  readonly random: Random;
  /** Files in the store without it. */
  readonly files?: DeviceFiles;
  /** What the program reports of itself with each query. */
  readonly attributes?: DevicePorts['attributes'];
  /** Whether an update that the service does not force is agreed to; it always is without it. */
  readonly consent?: DevicePorts['consent'];
  /** Joins the network; without it the network is up. */
  readonly network?: DevicePorts['network'];
  /** How the program starts again after an update; without it only the client does. */
  readonly reboot?: DevicePorts['reboot'];
  /** Called by the data cloud. */
  readonly notices?: Partial<DataNotices>;
}

/** A device that speaks to its service. */
export interface Device {
  readonly client: DeviceClient;
  /** Streams and controls at the service. */
  readonly data: DataCloud;
  readonly files: DeviceFiles;
  /** Gives up what runs. What has been acknowledged is in the store. */
  stop(): void;
}

/**
 * Makes a device over a store and starts it: what it remembers is read, and an update that has not been reported is
 * reported in the background.
 *
 * @throws when the store fails
 */
export async function createDevice(options: DeviceOptions): Promise<Device> {
  const { clock, net, store, identity, service, version, random, notices = {} } = options;
  const files = options.files ?? (await StoreFiles.open(store));
  const start = async () => {
    await client.load();
    await data.load();
    client.start();
  };
  const stop = () => {
    data.stop();
    client.stop();
  };
  const restart = () => {
    stop();
    return start();
  };
  const client = new DeviceClient({
    clock,
    net,
    store,
    files,
    identity,
    service: () => service,
    network: options.network ?? { isUp: () => true, ensureUp: async () => success(undefined) },
    factoryVersion: () => version,
    attributes: options.attributes,
    consent: options.consent,
    reboot: options.reboot ?? restart,
  });
  const data = new DataCloud({
    clock,
    random,
    store,
    files,
    client,
    version: () => version,
    notices: { activated() {}, lost() {}, dropped() {}, notPushed() {}, notApplied() {}, ...notices },
  });
  await start();
  return { client, data, files, stop };
}
