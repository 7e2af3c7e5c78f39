import type { Board } from '../commands/board.ts';
import { memoryPercent } from '../device/memory.ts';
import type { ClientFacts, NetworkFacts, VariableSources } from '../variables/variable.ts';
import { securityNames } from '../wlan/air.ts';
import type { Wlan } from '../wlan/wlan.ts';

type Sources = Board & { readonly versionLine: string };

/**
 * Where the variables that are not stored are read from. The variables are made before all parts that read them, and
 * show what these parts measure: `connect` closes that ring once the module is finished. A class, so that a thousand
 * modules share its functions.
 */
export class ModuleSources implements VariableSources {
  #finished: Sources | undefined;

  connect(finished: Sources): void {
    this.#finished = finished;
  }

  get #module(): Sources {
    if (this.#finished) return this.#finished;
    throw new Error('A variable is read before the module is finished');
  }

  get mac(): string {
    return this.#module.identity.mac;
  }

  get uuid(): string {
    return this.#module.identity.uuid;
  }

  get gpioCount(): number {
    return this.#module.model.gpioCount;
  }

  get boardPins(): VariableSources['boardPins'] {
    return this.#module.model.boardPins;
  }

  get buildNumber(): string {
    return this.#module.personality.build;
  }

  get versionLine(): string {
    return this.#module.versionLine;
  }

  get rtc(): VariableSources['rtc'] {
    return this.#module.rtc;
  }

  network(): NetworkFacts {
    const { wlan } = this.#module;
    const { status, joinResult, addresses, accessPoint } = wlan;
    return {
      status,
      joinResult,
      ...addresses,
      channel: accessPoint?.channel ?? 0,
      // Made only when read: each read of the signal is another measurement.
      get info() {
        return linkInfo(wlan);
      },
    };
  }

  softApInfo(): readonly string[] {
    return softApInfo(this.#module);
  }

  stations(): ReturnType<VariableSources['stations']> {
    return this.#module.wlan.stations.list();
  }

  webSetupActive(): boolean {
    return this.#module.webSetup.active;
  }

  client(): ClientFacts {
    return this.#module.client;
  }

  cloud(): ReturnType<VariableSources['cloud']> {
    return this.#module.cloud;
  }

  pins(): ReturnType<VariableSources['pins']> {
    return this.#module.pins;
  }

  safeMode(): boolean {
    return this.#module.safeMode;
  }

  memoryPercent(): number {
    // Spec: MOD-VAR-system.memory.usage.
    const { flash, log, model, sessionLimits, streams, variables } = this.#module;
    return memoryPercent({
      ramBytes: model.ramBytes,
      files: flash.list().length,
      streams: streams.list().map(({ stream }) => (stream.type === 'FILE' ? 0 : stream.available())),
      lineBytes: sessionLimits.lineBytes,
      settingsBytes: variables.export().length,
      logBytes: log.keptBytes,
    });
  }

  bufferUsage(): string {
    return this.#module.streams.pool.usage;
  }
}

/** Spec: MOD-VAR-wlan.info. */
const linkInfo = ({ accessPoint: point, rates, rssiDbm }: Wlan): readonly string[] => [
  `SSID: ${point?.ssid ?? ''}`,
  `BSSID: ${point?.bssid ?? ''}`,
  `Channel: ${point?.channel ?? ''}`,
  `Security: ${point ? securityNames[point.security] : ''}`,
  `RSSI: ${rssiDbm ?? ''}`,
  `Rate: ${rates?.rate ?? ''}`,
  `Max rate: ${rates?.max ?? ''}`,
];

/** Spec: MOD-VAR-softap.info. */
function softApInfo({ identity, wlan }: Pick<Board, 'identity' | 'wlan'>): readonly string[] {
  const { softAp } = wlan;
  return [
    `SSID: ${softAp?.ssid ?? ''}`,
    `BSSID: ${softAp ? identity.mac : ''}`,
    `Channel: ${softAp?.channel ?? ''}`,
    `Security: ${softAp ? securityNames[softAp.secured ? 'wpa2_aes' : 'open'] : ''}`,
    `Clients: ${wlan.stations.list().length}`,
  ];
}
