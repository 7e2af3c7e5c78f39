import type { Store } from '@moorage/base';
import { DataCloud, DeviceClient, type DevicePorts, type ServiceFailure } from '@moorage/device';
import type { TlsClock } from '@moorage/net';
import { Solo, type SoloParts } from '../cloud/data-solo.ts';
import { FlashFiles } from '../cloud/flash-files.ts';
import { serviceReason } from '../cloud/service-reason.ts';
import type { Board } from '../commands/board.ts';
import { type LogSettings, noticeTime } from '../device/log.ts';
import type { PoolSettings } from '../device/net-buffers.ts';
import type { Rtc } from '../device/rtc.ts';
import { showStreams } from '../device/stream-pins.ts';
import { StreamTable } from '../device/streams.ts';
import type { Personality } from '../personality/personality.ts';
import type { ServiceParts } from '../services/service.ts';
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

/** Who judges the dates of certificates; what a clock does that has not been set is for the personality to say. */
export function tlsClockOf(rtc: Rtc, { unsetClock }: Pick<Personality, 'unsetClock'>): TlsClock {
  if (rtc.isSet || unsetClock === 'epoch') return { nowMs: () => rtc.nowMs() };
  return unsetClock === 'ignored' ? { nowMs: () => undefined } : {};
}

/** What the variables make of the packet pool at a boot. */
export const poolSettings = (variables: VariableStore): PoolSettings => ({
  bytes: variables.get('network.buffer.size'),
  receivePercent: variables.get('network.buffer.rxtx_ratio'),
});

type StreamParts = Pick<ServiceParts, 'log' | 'model' | 'pinRoles' | 'variables'> & {
  readonly facts: BootFacts;
  /** Called for each network stream that has been announced. */
  readonly opened: (handle: number) => void;
};

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

/** What `ota.consent` says to an update that is not forced. */
const consents = { yes: true, later: false, no: 'refused' } as const;

type ClientParts = Pick<ServiceParts, 'flash' | 'variables'> &
  Omit<DevicePorts, 'consent' | 'files' | 'service'> & {
    /** Plain HTTP. */
    readonly insecure: boolean;
  };

/** The module's client of its service. */
export function clientOf({ flash, insecure, variables, ...ports }: ClientParts): DeviceClient {
  return new DeviceClient({
    ...ports,
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

type DataCloudParts = Pick<Board, 'client' | 'clock' | 'flash' | 'log' | 'random' | 'variables'> & {
  readonly store: Store;
  readonly version: () => string;
};

/** Streams and controls at the service. */
export function dataCloudOf({ flash, log, variables, ...ports }: DataCloudParts): DataCloud {
  /** The name of the file is fixed from activation on, whatever is loaded or reset. Spec: MOD-OPT-cloud_capabilities-readonly. */
  const keepName = (file = cloud.file) => {
    if (file !== undefined && variables.get('cloud.capabilities') !== file) variables.set('cloud.capabilities', file);
  };
  const cloud: DataCloud = new DataCloud({
    ...ports,
    files: flash,
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

/** What serves the capabilities without a host. */
export const soloOf = ({ log, ...parts }: Omit<SoloParts, 'broken' | 'failed'> & Pick<Board, 'log'>): Solo =>
  new Solo({
    ...parts,
    failed: (refusal) => {
      if (refusal.kind === 'service') sayNotPushed({ log, variables: parts.variables }, refusal.error);
    },
    broken: (cause) => log.say('notPushed', { reason: mishapReason(cause) }),
  });

/** A join that failed has said it itself. */
function sayNotPushed(
  { log, variables }: Pick<Board, 'log'> & Pick<SoloParts, 'variables'>,
  error: ServiceFailure,
): void {
  if (!error.local) log.say('notPushed', { reason: serviceReason(error, variables.get('ota.host')) });
}
