import { failure, type Random, sleep, success } from '@moorage/base';
import type { ChannelPorts, DeviceChannel } from './channel/device-channel.ts';
import type { CommandOutcome } from './channel/session.ts';
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
  /** Whether the program works after an update; it always does without it. */
  readonly healthy?: DevicePorts['healthy'];
  /** Joins the network; without it the network is up. */
  readonly network?: DevicePorts['network'];
  /** Brings the files of an update to where they run; without it they run from `files`. */
  readonly install?: DevicePorts['install'];
  /** How the program starts again after an update; without it only the client does. */
  readonly reboot?: DevicePorts['reboot'];
  /** Called by the data cloud. */
  readonly notices?: Partial<DataNotices>;
}

/** What a device does while it is online. */
export interface ConnectOptions {
  /** Answers a command line of the console: a code, 0 when it went well, and text. It has no command line without it. */
  readonly command?: (line: string) => Promise<CommandOutcome>;
  /** What the device sends of itself: at most 64 values, every so many ms. */
  readonly telemetry?: {
    readonly intervalMs: number;
    readonly values: () => Readonly<Record<string, unknown>>;
  };
}

/** A device that speaks to its service. */
export interface Device {
  readonly client: DeviceClient;
  /** Streams and controls at the service. */
  readonly data: DataCloud;
  readonly files: DeviceFiles;
  /**
   * Goes online and stays so until `stop`, over any break: the device then answers commands, sends telemetry, takes
   * controls, and updates itself when the service says that there is something. To be called once.
   */
  connect(options?: ConnectOptions): DeviceChannel;
  /** Gives up what runs. What has been acknowledged is in the store. */
  stop(): void;
}

/** How long telemetry waits for its response, in ms. */
const telemetryTimeoutMs = 10_000;

const noCommands: NonNullable<ConnectOptions['command']> = async () => failure('the device has no command line');

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
  const halt = () => {
    data.stop();
    client.stop();
  };
  const restart = () => {
    halt();
    return start();
  };
  const reboot = options.reboot ?? restart;
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
    install: options.install,
    healthy: options.healthy,
    reboot,
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
  let channel: DeviceChannel | undefined;
  return {
    client,
    data,
    files,
    connect(wanted = {}) {
      channel = client.openChannel(channelPorts(wanted, { client, clock, random, reboot }));
      return channel;
    },
    stop() {
      channel?.stop();
      halt();
    },
  };
}

interface OnlineParts extends Pick<DeviceOptions, 'clock' | 'random'> {
  readonly client: DeviceClient;
  readonly reboot: DevicePorts['reboot'];
}

function channelPorts({ command = noCommands, telemetry }: ConnectOptions, parts: OnlineParts): ChannelPorts {
  const { client, clock, random, reboot } = parts;
  return {
    random,
    clock,
    command,
    updatesItself: () => true,
    async update(isWanted) {
      const updated = isWanted() ? await client.update() : success('none');
      if (!updated.ok || updated.value !== 'installed') return updated;
      await sleep(clock, client.restartWaitMs);
      if (isWanted()) await reboot();
      return updated;
    },
    ...(telemetry && {
      telemetry: {
        intervalMs: () => telemetry.intervalMs,
        onInterval: () => () => {},
        send: () => client.channelRequest({ request: 'telemetry', data: telemetry.values() }, telemetryTimeoutMs),
      },
    }),
  };
}
