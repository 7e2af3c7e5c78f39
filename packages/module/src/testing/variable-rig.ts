import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { allVariables } from '../variables/index.ts';
import { NameIndex } from '../variables/names.ts';
import { VariableStore, type VariableStoreOptions } from '../variables/store.ts';
import type { ClientFacts, NetworkFacts, VariableSources } from '../variables/variable.ts';

const network: NetworkFacts = {
  status: 0,
  joinResult: 0,
  ip: '0.0.0.0',
  netmask: '0.0.0.0',
  gateway: '0.0.0.0',
  dns: '0.0.0.0',
  channel: 0,
  info: ['SSID: '],
};

const client: ClientFacts = { bundleId: '', otaResult: 0, provisionStatus: 0 };

/** Pins that no command has touched. */
export const noPins: ReturnType<VariableSources['pins']> = {
  uses: new Map(),
  isFreed: () => false,
  ownersChanged: () => {},
};

/** What a module at rest gives its variables; its clock has been set to the epoch. */
export function testSources(): VariableSources {
  const clock = new VirtualClock();
  let epochMs = 0;
  return {
    mac: '02:00:00:00:00:01',
    uuid: 'A'.repeat(40),
    gpioCount: 29,
    boardPins: {},
    versionLine: 'Moorage-2.2.0.12',
    buildNumber: '16eee81',
    rtc: {
      nowMs: () => clock.monotonic() + epochMs,
      uptimeMs: () => clock.monotonic(),
      sinceSetMs: () => -1,
      set: (ms) => {
        epochMs = ms;
      },
    },
    network: () => network,
    softApInfo: () => ['SSID: '],
    stations: () => [],
    webSetupActive: () => false,
    client: () => client,
    cloud: () => ({ activated: false }),
    safeMode: () => false,
    memoryPercent: () => 7,
    bufferUsage: () => 'rx:0,tx:0',
    pins: () => noPins,
  };
}

const names = new NameIndex(allVariables);

/** A variable store with nothing around it, and the way to the store that a restarted module has. */
export function testStore(changes: Partial<VariableStoreOptions> = {}) {
  const bytes = changes.store ?? new MemoryStore();
  const make = (): VariableStore => new VariableStore({ names, store: bytes, sources: testSources(), ...changes });
  const reopen = async (): Promise<VariableStore> => {
    const store = make();
    await store.load();
    return store;
  };
  return { store: make(), bytes, reopen };
}
