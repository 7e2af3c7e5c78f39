import type { CancelTimer, Clock } from '@moorage/base';
import { failure, type Result, success } from '@moorage/base';
import type { Log } from '../device/log.ts';
import type { Net } from '../net/ports.ts';
import type { AccessPoint, Air } from './air.ts';
import { type Addresses, type JoinTimings, type JoinVoice, Station } from './join.ts';
import { type JoinFailure, type JoinResultCode, statusOf } from './join-table.ts';
import {
  autoJoinSettings,
  type Interface,
  interfaceOf,
  joinSettings,
  softApSettings,
  type Variables,
} from './settings.ts';
import { SoftAp } from './soft-ap.ts';
import { joinVoice } from './voice.ts';

export type { Addresses } from './join.ts';
export type { JoinFailure } from './join-table.ts';
export type { Interface } from './settings.ts';

export interface WlanParts {
  readonly clock: Clock;
  readonly air: Air;
  /** Its DHCP server answers on joined networks. */
  readonly net: Pick<Net, 'lease'>;
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** Variables are read when they are needed; no copies are kept. */
  readonly variables: Variables;
  readonly log: Log;
  readonly timings: JoinTimings;
}

/** How `up` answers at once: the link is there, a join runs in the background, or it cannot be tried. */
export type UpAnswer = 'up' | 'joining' | JoinFailure;

interface Watcher {
  /** The interface has its address; called before `[Associated]`. */
  readonly up?: (iface: Interface) => void;
  /** The interface goes; called before `[Disassociated]`. */
  readonly down?: (iface: Interface) => void;
  /** Anything of what `status`, `joinResult` and `softAp` tell has changed. */
  readonly changed?: () => void;
}

/** The radio: the station and the module's own access point. */
export class Wlan {
  readonly #parts: WlanParts;
  readonly #voice: JoinVoice;
  readonly #station: Station;
  readonly #softAp: SoftAp;
  readonly #watchers = new Set<Watcher>();
  #retry: CancelTimer | undefined;
  /** Changes with every boot and halt: what an earlier power cycle left running stops by itself. */
  #cycle = 0;

  constructor(parts: WlanParts) {
    this.#parts = parts;
    this.#voice = joinVoice(parts.log);
    this.#softAp = new SoftAp(parts.mac);
    this.#station = new Station({
      clock: parts.clock,
      air: parts.air,
      timings: parts.timings,
      voice: this.#voice,
      lease: () => parts.net.lease(),
      settings: () => joinSettings(parts.variables),
      started: () => this.#tell('up', 'wlan'),
      stopping: () => this.#tell('down', 'wlan'),
      changed: () => this.#changed(),
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

  /** Signal strength of the link in dBm. */
  get rssiDbm(): number | undefined {
    return this.accessPoint?.rssiDbm;
  }

  /** The module's own access point; `undefined` while it is down. */
  get softAp(): { readonly ssid: string; readonly channel: number; readonly addresses: Addresses } | undefined {
    const { state, addresses } = this.#softAp;
    return state && addresses && { ssid: state.ssid, channel: this.accessPoint?.channel ?? state.channel, addresses };
  }

  isUp(iface: Interface): boolean {
    return iface === 'wlan' ? this.#station.state === 'up' : this.#softAp.state !== undefined;
  }

  /** The interface that an option names; `network.default_interface` without one. */
  interfaceOf(named?: string): Interface {
    return interfaceOf(this.#parts.variables, named);
  }

  /** Access points within reach, by channel. */
  scan(): readonly AccessPoint[] {
    const mask = joinSettings(this.#parts.variables).channelMask;
    return this.#parts.air.accessPoints
      .filter((point) => (mask & (1 << (point.channel - 1))) !== 0)
      .sort((a, b) => a.channel - b.channel);
  }

  /** Brings an interface up without waiting for it. Spec: MOD-CMD-network_up. */
  up(iface: Interface): UpAnswer {
    if (this.isUp(iface)) return 'up';
    if (iface === 'softap') return this.#startSoftAp();
    void this.#station.join(true);
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
    this.#tell('down', 'softap');
    this.#softAp.down();
    this.#changed();
  }

  /** Waits until the interface is up, joining if need be. Spec: MOD-NET-auto-up. */
  async ensureUp(iface: Interface = this.interfaceOf()): Promise<Result<void, JoinFailure>> {
    if (this.isUp(iface)) return success(undefined);
    if (iface === 'wlan') return this.#station.join();
    const answer = this.#startSoftAp();
    return answer === 'up' ? success(undefined) : failure(answer);
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
    this.#station.forget();
  }

  /** The access point has gone silent; with auto join on, the module joins again. */
  loseLink(): void {
    if (this.#station.lose() && autoJoinSettings(this.#parts.variables).enabled) void this.#autoJoin(this.#cycle);
  }

  /** Tells when interfaces come and go, for the services on them. Returns the way to stop. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #tell(what: 'up' | 'down', iface: Interface): void {
    for (const watcher of this.#watchers) watcher[what]?.(iface);
  }

  #changed(): void {
    for (const { changed } of this.#watchers) changed?.();
  }

  #startSoftAp(): 'up' | 'no-ssid' {
    if (this.#softAp.state) return 'up';
    const started = this.#softAp.up(softApSettings(this.#parts.variables), this.accessPoint?.channel);
    if (!started.ok) {
      this.#voice.noSsid();
      return started.error;
    }
    this.#voice.address(started.value.ip);
    this.#tell('up', 'softap');
    this.#changed();
    return 'up';
  }

  /** Repeats whole sequences. Spec: MOD-VAR-wlan.auto_join.retries. */
  async #autoJoin(cycle: number): Promise<void> {
    for (let sequence = 1; cycle === this.#cycle; sequence++) {
      const outcome = await this.#station.join();
      const { enabled, retries, retryDelayMs } = autoJoinSettings(this.#parts.variables);
      // Somebody who takes the network down does not want it back.
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
