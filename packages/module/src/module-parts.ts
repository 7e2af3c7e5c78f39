import { seededRandom } from '@moorage/base';
import { DataCloud, DeviceClient } from '@moorage/device';
import { Solo } from './cloud/data-solo.ts';
import { FlashFiles } from './cloud/flash-files.ts';
import { serviceNetwork } from './cloud/service-network.ts';
import { type LogSettings, noticeTime } from './device/log.ts';
import type { PoolSettings } from './device/net-buffers.ts';
import { showStreams } from './device/stream-pins.ts';
import { StreamTable } from './device/streams.ts';
import type { Module, ModuleOptions } from './module.ts';
import { zoneMinutes } from './variables/kinds.ts';
import { defaultAir } from './wlan/air.ts';
import { Wlan } from './wlan/wlan.ts';

export const logSettings = ({ variables, rtc }: Module): LogSettings => ({
  printLevel: () => variables.get('system.print_level'),
  template: (notice) => variables.getAt('system.msg', notice),
  timePrefix: () =>
    rtc.isSet && variables.get('system.cmd.timestamp') === 'log'
      ? noticeTime(rtc.nowMs(), zoneMinutes(variables.get('time.zone')) ?? 0)
      : '',
});

/** What the variables make of the packet pool at a boot. */
export const poolSettings = ({ variables }: Module): PoolSettings => ({
  bytes: variables.get('network.buffer.size'),
  receivePercent: variables.get('network.buffer.rxtx_ratio'),
});

/** The stream table; `opened` hears of each network stream that has been announced. */
export function streamsOf(module: Module, opened: (handle: number) => void): StreamTable {
  const { log, model, variables } = module;
  const table: StreamTable = new StreamTable({
    limit: model.limits.streams,
    autoClose: () => variables.get('stream.auto_close'),
    pool: poolSettings(module),
    changed: () => showStreams(table, module.pinRoles, module.outOfBand),
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

/** What the air does is drawn from a stream of its own of the module's seed: what else the module draws does not change it. */
export const wlanOf = (
  { clock, identity, log, timings, variables }: Module,
  { air = defaultAir, net, seed }: ModuleOptions,
): Wlan =>
  new Wlan({ clock, air, net, mac: identity.mac, variables, log, random: seededRandom(`air ${seed}`), timings });

/** The module's client of its service. */
export function clientOf(module: Module, { clock, store, service }: ModuleOptions): DeviceClient {
  const { flash, identity, log, net, variables, wlan } = module;
  return new DeviceClient({
    clock,
    net,
    store,
    files: new FlashFiles(flash),
    identity,
    service: () => ({
      // Spec: MOD-VAR-ota.host, MOD-VAR-ota.port, MOD-VAR-network.ca_cert.
      host: variables.get('ota.host'),
      port: variables.get('ota.port'),
      authorityFile: variables.get('network.ca_cert'),
      insecure: service?.insecure ?? false,
    }),
    network: serviceNetwork(wlan, variables),
    factoryVersion: () => module.versionLine,
    reboot: () => {
      log.say('rebooting');
      return module.reboot();
    },
  });
}

/** Streams and controls at the service. */
export function cloudOf(module: Module, { clock, store }: ModuleOptions): DataCloud {
  const { client, flash, log, random, variables } = module;
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
    version: () => module.versionLine,
    notices: {
      // Spec: MOD-OPT-cloud_activate-capabilities.
      activated: keepName,
      lost: () => log.say('activationLost'),
      dropped: (count) => log.say('samplesDropped', { count }),
      notPushed: ({ message, local }) => {
        if (!local) log.say('notPushed', { reason: message });
      },
      notApplied: (cause) => log.say('notPushed', { reason: String(cause) }),
    },
  });
  variables.onChange('cloud.capabilities', () => keepName());
  return cloud;
}

/** What serves the capabilities without a host. */
export function soloOf(module: Module): Solo {
  const { clock, cloud, log, model, pins, rtc, variables, wlan } = module;
  return new Solo({
    clock,
    rtc,
    model,
    pins,
    variables,
    cloud,
    network: serviceNetwork(wlan, variables),
    failed: (refusal) => {
      if (refusal.kind === 'service' && !refusal.error.local) log.say('notPushed', { reason: refusal.error.message });
    },
    broken: (cause) => log.say('notPushed', { reason: String(cause) }),
  });
}
