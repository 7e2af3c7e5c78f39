import { type CancelTimer, type Clock, failure, ignoreFailure, type Random, type Result, success } from '@moorage/base';
import type { Interface, Net } from '@moorage/net';
import type { Log } from '../device/log.ts';
import type { AccessPoint, Air } from './air.ts';
import { Station } from './join.ts';
import type { Addresses, JoinTimings, JoinVoice } from './join-parts.ts';
import { type JoinFailure, type JoinResultCode, statusOf } from './join-table.ts';
import { LinkWatch } from './link-watch.ts';
import { Radio } from './radio.ts';
import {
  autoJoinSettings,
  interfaceOf,
  joinSettings,
  radioSettings,
  setupApSettings,
  softApSettings,
  type Variables,
} from './settings.ts';
import { linkRates, SignalMeter } from './signal.ts';
import { SoftAp, type SoftApSettings } from './soft-ap.ts';
import { Stations } from './stations.ts';
import { Survey } from './survey.ts';

export type { Addresses } from './join-parts.ts';
export type { JoinFailure } from './join-table.ts';

interface WlanParts {
  readonly clock: Clock;
  readonly air: Air;
  /** Its DHCP server answers on joined networks. */
  readonly net: Pick<Net, 'lease'>;
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** Variables are read when they are needed; no copies are kept. */
  readonly variables: Variables;
  readonly log: Log;
  /** What signals and chances of the air are drawn from. */
  readonly random: Random;
  readonly timings: JoinTimings & { readonly scanMs: number };
}

/** The module's own access point. */
interface SoftApFacts {
  readonly ssid: string;
  readonly secured: boolean;
  readonly channel: number;
  readonly addresses: Addresses;
}

/** How `up` answers at once: the link is there, a join runs in the background, or it cannot be tried. */
type UpAnswer = 'up' | 'joining' | JoinFailure;

interface Watcher {
  /** The interface has its address; `[Associated]` waits for what it returns. */
  readonly up?: (iface: Interface) => void | Promise<void>;
  /** The interface goes; called before `[Disassociated]`. */
  readonly down?: (iface: Interface) => void;
  /** `status`, `joinResult` or `softAp` has changed. */
  readonly changed?: () => void;
}

/** The lines and notices of a join, in the words of the personality. */
const joinVoice = (log: Log): JoinVoice => ({
  // Spec: MOD-EVENT-associating.
  associating: (ssid) => log.notice('wlan_joining', { ssid }),
  security: (security) => log.say('securityFromProbe', { security }),
  obtaining: () => log.say('obtainingAddress'),
  address: (ip) => log.say('addressObtained', { ip }),
  // Spec: MOD-EVENT-associated.
  associated: () => log.notice('wlan_joined'),
  // Spec: MOD-EVENT-disassociated.
  disassociated: () => log.notice('wlan_leave'),
  // Spec: MOD-EVENT-join-failed.
  failed: () => log.notice('wlan_failed'),
  noSsid: () => log.say('ssidNotSet'),
});

/** The radio: the station and the module's own access point. */
export class Wlan {
  readonly #parts: WlanParts;
  readonly #voice: JoinVoice;
  readonly #station: Station;
  readonly #softAp: SoftAp;
  readonly #watchers = new Set<Watcher>();
  readonly #radio: Radio;
  readonly #linkWatch: LinkWatch;
  readonly #meter = new SignalMeter<AccessPoint>();
  /** Looks around without joining. */
  readonly survey: Survey;
  /** Who has joined the module's own access point. */
  readonly stations: Stations;
  #retry: CancelTimer | undefined;
  /** The services of the access point that are still starting. */
  #starting: void | Promise<void> = undefined;
  /** Changes with every boot and halt: what an earlier power cycle left running stops by itself. */
  #cycle = 0;

  constructor(parts: WlanParts) {
    this.#parts = parts;
    this.#voice = joinVoice(parts.log);
    this.#softAp = new SoftAp(parts.mac);
    const { variables } = parts;
    this.stations = new Stations({
      clock: parts.clock,
      limit: () => variables.get('softap.max_clients'),
      idleMs: () => variables.get('softap.idle_timeout') * 1000,
      joined: (mac) => parts.log.notice('softap_joined', { mac }),
      left: (mac) => parts.log.notice('softap_leave', { mac }),
    });
    const { air, clock, random } = parts;
    this.#radio = new Radio({ clock, air, random, settings: () => radioSettings(variables) });
    this.#station = new Station({
      clock,
      radio: this.#radio,
      timings: parts.timings,
      voice: this.#voice,
      lease: () => parts.net.lease(),
      settings: () => joinSettings(parts.variables),
      started: () => {
        this.#linkWatch.start();
        return this.#tellUp('wlan');
      },
      stopping: () => {
        this.#linkWatch.stop();
        this.#tellDown('wlan');
      },
      changed: () => this.#changed(),
    });
    this.#linkWatch = new LinkWatch({
      clock,
      radio: this.#radio,
      point: () => this.#station.point,
      siblings: () => this.#station.siblings(),
      roam: (point) => this.#station.roam(point),
      lose: () => this.loseLink(),
    });
    this.survey = new Survey({
      clock,
      radio: this.#radio,
      timings: parts.timings,
      busy: () => this.status === 1 || this.status === 3,
      admits: (point, passkey) => this.#station.admits(point, passkey),
      associateTimeoutMs: () => variables.get('wlan.join.timeout'),
    });
  }

  /** Value of `network.status`. Spec: MOD-VAR-network.status. */
  get status(): 0 | 1 | 2 | 3 {
    return statusOf[this.#station.state];
  }

  /** Value of `wlan.join.result`. Spec: MOD-VAR-wlan.join.result. */
  get joinResult(): JoinResultCode {
    return this.#station.result;
  }

  /** `network.ip`, `.netmask`, `.gateway` and `.dns`; all `0.0.0.0` while the station has no address. */
  get addresses(): Addresses {
    return this.#station.addresses;
  }

  /** The access point of the link (bssid, channel, security, ssid); `undefined` without one. */
  get accessPoint(): AccessPoint | undefined {
    return this.#station.state === 'up' || this.#station.state === 'addressing' ? this.#station.point : undefined;
  }

  /** Signal strength of the link in dBm: each look is another reading. */
  get rssiDbm(): number | undefined {
    const { accessPoint: point } = this;
    if (!point) return undefined;
    return this.#meter.mean(point, this.#radio.sampleDbm(point), this.#parts.variables.get('wlan.rssi_average'));
  }

  /** Rates of the link in Mbit/s: the fastest that both sides have, and the one that the signal allows. */
  get rates(): { readonly rate: number; readonly max: number } | undefined {
    const { accessPoint: point } = this;
    const { joined } = this.#station;
    return point && joined && linkRates(point, joined.protocol, this.#radio.levelDbm(point));
  }

  /** The module's own access point; `undefined` while it is down. */
  get softAp(): SoftApFacts | undefined {
    const { state, addresses } = this.#softAp;
    if (!state || !addresses) return undefined;
    const { ssid, secured } = state;
    return { ssid, secured, channel: this.accessPoint?.channel ?? state.channel, addresses };
  }

  isUp(iface: Interface): boolean {
    return iface === 'wlan' ? this.#station.state === 'up' : this.#softAp.state !== undefined;
  }

  /** The interface that an option names; `network.default_interface` without one. */
  interfaceOf(named?: string): Interface {
    return interfaceOf(this.#parts.variables, named);
  }

  /** Brings an interface up without waiting for it. Spec: MOD-CMD-network_up. */
  up(iface: Interface): UpAnswer {
    if (this.isUp(iface)) return 'up';
    if (iface === 'softap') return this.#startSoftAp();
    // The state and the log show what becomes of it.
    ignoreFailure(this.#station.join(true));
    return this.#station.state === 'idle' ? 'no-ssid' : 'joining';
  }

  /** Takes an interface down, or ends its join; harmless when it is down already. Spec: MOD-CMD-network_down. */
  down(iface: Interface): void {
    if (iface === 'wlan') {
      this.#retry?.();
      this.#station.leave();
      return;
    }
    if (!this.#softAp.state) return;
    this.#tellDown('softap');
    this.stations.close();
    this.#softAp.down();
    this.#changed();
  }

  /** Waits until the interface is up, joining if need be. Spec: MOD-NET-auto-up. */
  async ensureUp(iface: Interface = this.interfaceOf()): Promise<Result<void, JoinFailure>> {
    if (this.isUp(iface)) return success(undefined);
    if (iface === 'wlan') return this.#station.join();
    const answer = this.#startSoftAp();
    if (answer !== 'up') return failure(answer);
    await this.#starting;
    return success(undefined);
  }

  /**
   * Starts the module's own access point as the network of web setup; one that runs stays as it is. Resolves when its
   * services are there.
   */
  async startSetupAp(): Promise<Result<void, 'no-ssid'>> {
    const answer = this.#openSoftAp(setupApSettings(this.#parts.variables));
    if (answer !== 'up') return failure(answer);
    await this.#starting;
    return success(undefined);
  }

  /** After `[Ready]`: starts what is set to start by itself. */
  boot(): void {
    const cycle = ++this.#cycle;
    if (this.#parts.variables.get('softap.auto_start')) this.#startSoftAp();
    if (autoJoinSettings(this.#parts.variables).enabled) void this.#autoJoin(cycle);
  }

  /** Before a reboot or power-off: prints `[Disassociated]` if there was a link, and forgets everything. */
  halt(): void {
    this.#cycle++;
    this.down('softap');
    this.down('wlan');
    this.survey.end();
    this.#station.forget();
  }

  /** The access point has gone silent; with auto join on, the module joins again. */
  loseLink(): void {
    if (this.#station.lose() && autoJoinSettings(this.#parts.variables).enabled) void this.#autoJoin(this.#cycle);
  }

  /** Subscribes to interfaces coming and going, for the services on them. Returns unsubscribe. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #tellUp(iface: Interface): void | Promise<void> {
    const starting = [...this.#watchers].flatMap(({ up }) => up?.(iface) ?? []);
    if (starting.length > 0) return Promise.all(starting).then(() => {});
  }

  #tellDown(iface: Interface): void {
    for (const { down } of this.#watchers) down?.(iface);
  }

  #changed(): void {
    for (const { changed } of this.#watchers) changed?.();
  }

  #startSoftAp(): 'up' | 'no-ssid' {
    return this.#openSoftAp(softApSettings(this.#parts.variables));
  }

  #openSoftAp(settings: SoftApSettings): 'up' | 'no-ssid' {
    if (this.#softAp.state) return 'up';
    const started = this.#softAp.up(settings, this.accessPoint?.channel);
    if (!started.ok) {
      this.#voice.noSsid();
      return started.error;
    }
    this.#voice.address(started.value.ip);
    this.#starting = this.#tellUp('softap');
    this.stations.open(settings.passkey, this.#parts.air.stations ?? []);
    this.#changed();
    return 'up';
  }

  /** Repeats whole sequences. Spec: MOD-VAR-wlan.auto_join.retries. */
  async #autoJoin(cycle: number): Promise<void> {
    for (let sequence = 1; cycle === this.#cycle; sequence++) {
      const outcome = await this.#station.join();
      const { enabled, retries, retryDelayMs } = autoJoinSettings(this.#parts.variables);
      // A user who takes the network down does not want it back.
      if (outcome.ok || outcome.error === 'aborted' || !enabled) return;
      if (retries > 0 && sequence >= retries) return;
      if (!(await this.#pause(retryDelayMs))) return;
    }
  }

  /** False when `down` came in between. */
  #pause(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, () => resolve(true));
      this.#retry = () => {
        cancel();
        resolve(false);
      };
    });
  }
}
