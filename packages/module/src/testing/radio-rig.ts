import { seededRandom, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { Log } from '../device/log.ts';
import { neutralPersonality } from '../personality/personality.ts';
import type { Timings } from '../personality/timings.ts';
import { drawnTimings } from '../personality/timings.ts';
import { VariableStore } from '../variables/store.ts';
import { type Air, defaultAir } from '../wlan/air.ts';
import { Wlan } from '../wlan/wlan.ts';
import { noPins } from './variable-rig.ts';

export const testMac = '4C:55:CC:00:11:2A';
export const testUuid = '4D4F4F52000000000000000000000000000000FF';

const lease = { ip: '10.5.6.108', netmask: '255.255.255.0', gateway: '10.5.6.1', dns: '10.5.6.2' };

interface RadioOptions {
  readonly air?: Air;
  readonly timings?: Partial<Timings>;
  readonly clock?: VirtualClock;
  readonly seed?: number;
  readonly lease?: typeof lease;
}

/** A radio with its variables and log, on a clock that stands still; `printed` collects what the module says. */
export function radioRig(options: RadioOptions = {}) {
  const clock = options.clock ?? new VirtualClock();
  const store = new MemoryStore();
  const personality = neutralPersonality;
  const variables = new VariableStore({
    names: personality.names,
    store,
    sources: {
      mac: testMac,
      uuid: testUuid,
      gpioCount: 29,
      boardPins: {},
      versionLine: personality.versionLine,
      buildNumber: personality.build,
      rtc: { nowMs: () => 0, uptimeMs: () => 0, sinceSetMs: () => -1, set: () => {} },
      network: () => {
        const { status, joinResult, addresses, accessPoint } = wlan;
        return { status, joinResult, ...addresses, channel: accessPoint?.channel ?? 0, info: [] };
      },
      softApInfo: () => [],
      stations: () => [],
      webSetupActive: () => false,
      client: () => ({ bundleId: '', otaResult: 0, provisionStatus: 0 }),
      cloud: () => ({ activated: false }),
      safeMode: () => false,
      memoryPercent: () => 0,
      bufferUsage: () => 'rx:0,tx:0',
      pins: () => noPins,
    },
  });
  const log = new Log(
    {
      printLevel: () => 'all',
      template: (notice) => String(variables.getAt('system.msg', notice)),
      timePrefix: () => '',
    },
    personality,
  );
  const printed: string[] = [];
  log.attach((line) => printed.push(line));
  const wlan: Wlan = new Wlan({
    clock,
    net: { lease: () => options.lease ?? lease },
    air: options.air ?? defaultAir,
    mac: testMac,
    variables,
    log,
    random: seededRandom(options.seed ?? 1),
    timings: { ...drawnTimings(personality.timings, seededRandom(1)), ...options.timings },
  });
  return { clock, variables, log, wlan, printed, personality };
}
