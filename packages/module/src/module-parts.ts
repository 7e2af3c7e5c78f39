import { seededRandom } from '@moorage/base';
import Value from 'typebox/value';
import { DataCloud } from './cloud/data-cloud.ts';
import { Solo } from './cloud/data-solo.ts';
import { ControlAction } from './cloud/data-state.ts';
import { Link } from './cloud/link.ts';
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

/** The module's side of the service. */
export function linkOf(module: Module, { clock, store, service }: ModuleOptions): Link {
  const { flash, identity, log, net, variables, wlan } = module;
  const face = () => wlan.interfaceOf(variables.get('dms.interface'));
  return new Link({
    clock,
    net,
    store,
    flash,
    identity,
    variables,
    factoryVersion: () => module.versionLine,
    network: { isUp: () => wlan.isUp(face()), ensureUp: () => wlan.ensureUp(face()) },
    insecure: service?.insecure ?? false,
    reboot: () => {
      log.say('rebooting');
      return module.reboot();
    },
  });
}

/** Streams and controls at the service. */
export function cloudOf(module: Module, { clock, store }: ModuleOptions): DataCloud {
  const { flash, link, log, random, variables } = module;
  const cloud = new DataCloud({
    clock,
    random,
    store,
    flash,
    line: link.line,
    variables,
    version: () => module.versionLine,
    notices: {
      lost: () => log.say('activationLost'),
      dropped: (count) => log.say('samplesDropped', { count }),
      notPushed: ({ message, printed }) => {
        if (!printed) log.say('notPushed', { reason: message });
      },
    },
  });
  link.onAction('control', (action) => {
    if (!Value.Check(ControlAction, action)) return;
    // Nobody waits for it; what the store does not take comes again with the next pull.
    cloud.applyControls(action.controls).catch((cause) => log.say('notPushed', { reason: String(cause) }));
  });
  return cloud;
}

/** What serves the capabilities without a host. */
export function soloOf(module: Module): Solo {
  const { clock, cloud, log, model, pins, rtc, variables, wlan } = module;
  const face = () => wlan.interfaceOf(variables.get('dms.interface'));
  return new Solo({
    clock,
    rtc,
    model,
    pins,
    variables,
    cloud,
    network: { isUp: () => wlan.isUp(face()), ensureUp: () => wlan.ensureUp(face()) },
    failed: (refusal) => {
      if (refusal.kind === 'link' && !refusal.error.printed) log.say('notPushed', { reason: refusal.error.message });
    },
    // Nobody waits for it: whoever watches is told.
    broken: (cause) => log.say('notPushed', { reason: String(cause) }),
  });
}
