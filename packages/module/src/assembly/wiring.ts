import type { Clock, Random, Store } from '@moorage/base';
import { DataCloud, DeviceClient, type DevicePorts, type ServiceFailure } from '@moorage/device';
import type { Net } from '@moorage/net';
import { Solo } from '../cloud/data-solo.ts';
import { FlashFiles } from '../cloud/flash-files.ts';
import type { serviceNetwork } from '../cloud/service-network.ts';
import { serviceReason } from '../cloud/service-reason.ts';
import type { Flash } from '../device/flash-files.ts';
import type { Pins } from '../device/gpio.ts';
import type { Identity } from '../device/identity.ts';
import { type Log, type LogSettings, noticeTime } from '../device/log.ts';
import type { PoolSettings } from '../device/net-buffers.ts';
import type { PinRoles } from '../device/pin-roles.ts';
import type { Rtc } from '../device/rtc.ts';
import { showStreams } from '../device/stream-pins.ts';
import { StreamTable } from '../device/streams.ts';
import type { Model } from '../model/model.ts';
import { mishapReason } from '../texts/reasons.ts';
import { zoneMinutes } from '../variables/kinds.ts';
import type { VariableStore } from '../variables/store.ts';
import type { BootFacts } from './boot-facts.ts';

export const logSettings = (variables: VariableStore, rtc: Rtc): LogSettings => ({
  printLevel: () => variables.get('system.print_level'),
  template: (notice) => variables.getAt('system.msg', notice),
  timePrefix: () =>
    rtc.isSet && variables.get('system.cmd.timestamp') === 'log'
      ? noticeTime(rtc.nowMs(), zoneMinutes(variables.get('time.zone')) ?? 0)
      : '',
});

/** What the variables make of the packet pool at a boot. */
export const poolSettings = (variables: VariableStore): PoolSettings => ({
  bytes: variables.get('network.buffer.size'),
  receivePercent: variables.get('network.buffer.rxtx_ratio'),
});

interface StreamParts {
  readonly model: Model;
  readonly variables: VariableStore;
  readonly log: Log;
  readonly pinRoles: PinRoles;
  readonly facts: BootFacts;
  /** Called for each network stream that has been announced. */
  readonly opened: (handle: number) => void;
}

/** The stream table: its streams notify the log, the bus and the pins. */
export function streamsOf({ facts, log, model, opened, pinRoles, variables }: StreamParts): StreamTable {
  const table: StreamTable = new StreamTable({
    limit: model.limits.streams,
    autoClose: () => variables.get('stream.auto_close'),
    pool: poolSettings(variables),
    changed: () => showStreams(table, pinRoles, facts.outOfBand),
    notices: {
      opened: (handle) => {
        log.notice('stream_opened', { handle });
        opened(handle);
      },
      closing: (handle) => log.say('closing', { handle }),
      // Spec: MOD-EVENT-closed.
      closed: (handle) => log.notice('stream_closed', { handle }),
    },
  });
  return table;
}

type ServiceNetwork = ReturnType<typeof serviceNetwork>;

interface ClientParts {
  readonly clock: Clock;
  readonly net: Net;
  readonly store: Store;
  readonly flash: Flash;
  readonly identity: Identity;
  readonly variables: VariableStore;
  readonly network: ServiceNetwork;
  /** Plain HTTP. */
  readonly insecure: boolean;
  readonly factoryVersion: () => string;
  readonly attributes: NonNullable<DevicePorts['attributes']>;
  readonly reboot: () => Promise<void>;
}

/** What `ota.consent` says to an update that is not forced. */
const consents = { yes: true, later: false, no: 'refused' } as const;

/** The module's client of its service. */
export function clientOf(parts: ClientParts): DeviceClient {
  const { attributes, clock, factoryVersion, flash, identity, insecure, net, network, reboot, store, variables } =
    parts;
  return new DeviceClient({
    clock,
    net,
    store,
    identity,
    network,
    factoryVersion,
    attributes,
    reboot,
    consent: async () => consents[variables.get('ota.consent')],
    files: new FlashFiles(flash),
    service: () => ({
      // Spec: MOD-VAR-ota.host, MOD-VAR-ota.port, MOD-VAR-network.ca_cert.
      host: variables.get('ota.host'),
      port: variables.get('ota.port'),
      authorityFile: variables.get('network.ca_cert'),
      insecure,
    }),
  });
}

interface DataCloudParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly flash: Flash;
  readonly variables: VariableStore;
  readonly log: Log;
  readonly client: DeviceClient;
  readonly version: () => string;
}

/** Streams and controls at the service. */
export function dataCloudOf(parts: DataCloudParts): DataCloud {
  const { client, clock, flash, log, random, store, variables, version } = parts;
  /** The name of the file is fixed from activation on, whatever is loaded or reset. Spec: MOD-OPT-cloud_capabilities-readonly. */
  const keepName = (file = cloud.file) => {
    if (file !== undefined && variables.get('cloud.capabilities') !== file) variables.set('cloud.capabilities', file);
  };
  const cloud: DataCloud = new DataCloud({
    clock,
    random,
    store,
    files: flash,
    client,
    version,
    notices: {
      // Spec: MOD-OPT-cloud_activate-capabilities.
      activated: keepName,
      lost: () => log.say('activationLost'),
      dropped: (count) => log.say('samplesDropped', { count }),
      notPushed: (error) => sayNotPushed({ log, variables }, error),
      notApplied: (cause) => log.say('notPushed', { reason: mishapReason(cause) }),
    },
  });
  variables.onChange('cloud.capabilities', () => keepName());
  return cloud;
}

interface SoloParts {
  readonly clock: Clock;
  readonly rtc: Rtc;
  readonly model: Model;
  readonly pins: Pins;
  readonly variables: VariableStore;
  readonly log: Log;
  readonly cloud: DataCloud;
  readonly network: ServiceNetwork;
}

/** What serves the capabilities without a host. */
export const soloOf = ({ clock, cloud, log, model, network, pins, rtc, variables }: SoloParts): Solo =>
  new Solo({
    clock,
    rtc,
    model,
    pins,
    variables,
    cloud,
    network,
    failed: (refusal) => {
      if (refusal.kind === 'service') sayNotPushed({ log, variables }, refusal.error);
    },
    broken: (cause) => log.say('notPushed', { reason: mishapReason(cause) }),
  });

/** A join that failed has said it itself. */
function sayNotPushed({ log, variables }: Pick<DataCloudParts, 'log' | 'variables'>, error: ServiceFailure): void {
  if (!error.local) log.say('notPushed', { reason: serviceReason(error, variables.get('ota.host')) });
}
