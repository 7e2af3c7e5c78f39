import { failure, ignoreFailure, type Result, success, transition } from '@moorage/base';
import { type AccessPoint, keyOpens, securityNames } from './air.ts';
import type { Addresses, JoinParts, JoinSettings } from './join-parts.ts';
import {
  type JoinFailure,
  type JoinResultCode,
  type JoinState,
  type JoinTrigger,
  joinResults,
  joinTable,
} from './join-table.ts';
import type { Heard } from './radio.ts';

type JoinOutcome = Result<void, JoinFailure>;

const unset: Addresses = { ip: '0.0.0.0', netmask: '0.0.0.0', gateway: '0.0.0.0', dns: '0.0.0.0' };

/** The station interface: one join sequence at a time, then the link. */
export class Station {
  readonly #parts: JoinParts;
  #state: JoinState = 'idle';
  #result: JoinResultCode = joinResults.none;
  #addresses: Addresses = unset;
  #point: AccessPoint | undefined;
  /** Access point of the last link and the ssid it was joined by: no need to probe again. */
  #known: { readonly ssid: string; readonly point: AccessPoint } | undefined;
  /** The settings of the link. */
  #joined: JoinSettings | undefined;
  #running: Promise<JoinOutcome> | undefined;
  /** Counts what was left: a sequence that was, may hear of it only some turns later. */
  #leaves = 0;
  #interrupt: (() => void) | undefined;
  #refusals: Map<AccessPoint, number> | undefined;

  constructor(parts: JoinParts) {
    this.#parts = parts;
  }

  get state(): JoinState {
    return this.#state;
  }

  get result(): JoinResultCode {
    return this.#result;
  }

  get addresses(): Addresses {
    return this.#addresses;
  }

  /** The access point of the link; `undefined` without one. */
  get point(): AccessPoint | undefined {
    return this.#point;
  }

  /** The settings by which the link came up; later changes wait for the next join. */
  get joined(): JoinSettings | undefined {
    return this.#state === 'up' ? this.#joined : undefined;
  }

  /** Other access points that carry the network of the link and let it in. */
  siblings(): readonly AccessPoint[] {
    const { joined } = this;
    return joined
      ? this.#parts.radio.points.filter(
          (point) => point !== this.#point && suits(point, joined) && this.#fits(point, joined),
        )
      : [];
  }

  /** Changes over to another access point of the same network; addresses and services stay. */
  roam(point: AccessPoint): void {
    if (this.#state !== 'up' || !this.#joined) return;
    this.#point = point;
    this.#known = { ssid: this.#joined.ssid, point };
    this.#parts.changed?.();
  }

  /**
   * Joins the network that the variables name. Resolves at the end of the sequence; a running one is shared.
   *
   * @param background the notices wait until the command that starts the join has answered
   */
  join(background = false): Promise<JoinOutcome> {
    if (this.#state === 'up') return Promise.resolve(success(undefined));
    if (this.#running) return this.#running;
    const running = this.#sequence(background).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  /** Ends the link or the join that runs; harmless when there is neither. */
  leave(): void {
    if (this.#state === 'idle') return;
    if (this.#state !== 'up') {
      this.#leaves++;
      // The join that is ended hands the failure to its caller.
      ignoreFailure(this.#end('aborted', 'leave'));
      // A new join may start at once; it is not the one that is ending.
      this.#running = undefined;
      this.#interrupt?.();
      return;
    }
    this.#drop('leave');
  }

  /** The access point has gone silent. Returns whether there was a link to lose. */
  lose(): boolean {
    if (this.#state !== 'up') return false;
    this.#drop('lose');
    return true;
  }

  /** Power off: nothing is remembered of former joins. */
  forget(): void {
    this.leave();
    this.#known = undefined;
    this.#result = joinResults.none;
    this.#refusals = undefined;
  }

  #drop(trigger: 'leave' | 'lose'): void {
    this.#parts.stopping();
    this.#clear();
    this.#go(trigger);
    this.#parts.voice.disassociated();
  }

  #go(trigger: JoinTrigger): void {
    const next = transition(joinTable, this.#state, trigger);
    if (!next) throw new Error(`The station interface has no ${trigger} in state ${this.#state}`);
    this.#state = next;
    this.#parts.changed?.();
  }

  #clear(): void {
    this.#addresses = unset;
    this.#point = undefined;
    this.#joined = undefined;
  }

  #end(reason: JoinFailure, trigger: 'refuse' | 'give-up' | 'leave'): JoinOutcome {
    const hadLink = this.#state === 'addressing';
    this.#clear();
    this.#result = joinResults[reason];
    this.#go(trigger);
    if (trigger !== 'leave') this.#parts.voice.failed();
    else if (hadLink) this.#parts.voice.disassociated();
    return failure(reason);
  }

  async #sequence(background: boolean): Promise<JoinOutcome> {
    const settings = this.#parts.settings();
    if (settings.ssid === '') {
      this.#result = joinResults['no-ssid'];
      this.#parts.changed?.();
      this.#parts.voice.noSsid();
      return failure('no-ssid');
    }
    this.#result = joinResults.joining;
    this.#go(this.#knows(settings) ? 'join-known' : 'join');
    const leaves = this.#leaves;
    if (background && (!(await this.#turn(0)) || leaves !== this.#leaves)) return failure('aborted');
    this.#parts.voice.associating(settings.ssid);
    for (let attempt = 1; ; attempt++) {
      const missed = await this.#attempt(settings);
      if (leaves !== this.#leaves) return failure('aborted');
      if (missed === undefined) return this.#arrive(settings);
      if (missed === 'aborted') return failure('aborted');
      if (missed === 'no-passkey' || missed === 'bad-security') return this.#end(missed, 'refuse');
      this.#go('miss');
      this.#clear();
      if (attempt >= settings.retries) return this.#end(missed, 'give-up');
      this.#go(this.#knows(settings) ? 'again-known' : 'again');
    }
  }

  #knows(settings: JoinSettings): boolean {
    return this.#known?.ssid === settings.ssid && suits(this.#known.point, settings);
  }

  /** One try, from the probe to the address. `undefined` when it brought the link up. */
  async #attempt(settings: JoinSettings): Promise<JoinFailure | undefined> {
    const { timings } = this.#parts;
    const leaves = this.#leaves;
    if (this.#state === 'probing') {
      const refused = await this.#search(settings);
      if (leaves !== this.#leaves) return 'aborted';
      if (refused) return refused;
      this.#go('found');
    } else this.#point = this.#known?.point;
    const point = this.#point;
    if (!point) throw new Error('The station interface associates with nothing');

    const associateMs = this.#answers(point)
      ? timings.associateMs + (point.associateMs ?? 0)
      : Number.POSITIVE_INFINITY;
    if (!(await this.#wait(Math.min(associateMs, settings.associateTimeoutMs))) || leaves !== this.#leaves)
      return 'aborted';
    if (associateMs > settings.associateTimeoutMs || !this.admits(point, settings.passkey)) {
      // What was remembered may be out of date: the next attempt probes.
      this.#known = undefined;
      return 'failed';
    }
    this.#go('associated');
    return settings.fixed ? undefined : this.#obtain(point, settings.dhcpTimeoutMs);
  }

  /** Probes, again while the network does not answer. Returns why there is none to try. */
  async #search(settings: JoinSettings): Promise<JoinFailure | undefined> {
    const leaves = this.#leaves;
    // Spec: MOD-VAR-wlan.scan.retries.
    for (let repeats = this.#parts.radio.settings.repeats; ; repeats--) {
      if (!(await this.#wait(this.#parts.timings.probeMs)) || leaves !== this.#leaves) return 'aborted';
      const heard = this.#parts.radio.listen(settings.ssid).filter((found) => isSought(found, settings));
      if (heard.length > 0) return this.#choose(heard, settings);
      if (repeats <= 0) return 'not-found';
    }
  }

  /** Takes the strongest access point that carries the network with the right security. */
  #choose(heard: readonly Heard[], settings: JoinSettings): JoinFailure | undefined {
    const fit = heard.filter(({ point }) => suits(point, settings)).sort((a, b) => b.rssiDbm - a.rssiDbm)[0]?.point;
    if (!fit) return 'bad-security';
    this.#point = fit;
    this.#parts.voice.security(securityNames[fit.security]);
    return fit.security !== 'open' && settings.passkey === '' ? 'no-passkey' : undefined;
  }

  #answers(point: AccessPoint): boolean {
    return this.#parts.radio.hears(point) && this.#parts.radio.isHeardBy(point);
  }

  #fits(point: AccessPoint, { passkey }: JoinSettings): boolean {
    return !point.rejectsKeys && keyOpens(point, passkey) && this.#parts.radio.isHeardBy(point);
  }

  /** Whether an access point lets the module in; one that refuses at first counts. */
  admits(point: AccessPoint, passkey: string): boolean {
    const refused = this.#refusals?.get(point) ?? 0;
    if (refused < (point.refusals ?? 0)) {
      this.#refusals ??= new Map();
      this.#refusals.set(point, refused + 1);
      return false;
    }
    return !point.rejectsKeys && keyOpens(point, passkey);
  }

  /** Spec: MOD-RULE-dhcp-client. */
  async #obtain(point: AccessPoint, timeoutMs: number): Promise<JoinFailure | undefined> {
    this.#parts.voice.obtaining();
    const serverMs =
      point.dhcpMs === null ? Number.POSITIVE_INFINITY : this.#parts.timings.dhcpMs + (point.dhcpMs ?? 0);
    if (!(await this.#wait(Math.min(serverMs, timeoutMs)))) return 'aborted';
    // Spec: MOD-VAR-network.dhcp.timeout.
    return serverMs > timeoutMs || !this.#answers(point) ? 'failed' : undefined;
  }

  #arrive(settings: JoinSettings): JoinOutcome | Promise<JoinOutcome> {
    const { voice } = this.#parts;
    if (this.#point) this.#known = { ssid: settings.ssid, point: this.#point };
    this.#joined = settings;
    this.#addresses = settings.fixed ?? this.#point?.network ?? this.#parts.lease();
    voice.address(this.#addresses.ip);
    this.#go('addressed');
    this.#result = joinResults.success;
    const starting = this.#parts.started();
    if (starting) return this.#settle(starting);
    voice.associated();
    return success(undefined);
  }

  /** The network may be taken down while services are still starting. */
  async #settle(starting: Promise<void>): Promise<JoinOutcome> {
    const { joined } = this;
    await starting;
    if (this.#state !== 'up' || this.#joined !== joined) return failure('aborted');
    this.#parts.voice.associated();
    return success(undefined);
  }

  /** Waits on the module's clock; no time is only a turn of the promise queue. False when the join was left. */
  #wait(delayMs: number): Promise<boolean> {
    return delayMs > 0 ? this.#turn(delayMs) : this.#turn(undefined);
  }

  /** Lets others run: only what is in the promise queue without a delay, all that waits with one. */
  async #turn(delayMs: number | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const cancel = delayMs === undefined ? undefined : this.#parts.clock.after(delayMs, () => resolve(true));
    if (delayMs === undefined) queueMicrotask(() => resolve(true));
    const interrupt = () => {
      cancel?.();
      resolve(false);
    };
    this.#interrupt = interrupt;
    const stayed = await promise;
    if (this.#interrupt === interrupt) this.#interrupt = undefined;
    return stayed;
  }
}

const isSought = ({ point, ssid: heard }: Heard, { ssid, bssid }: JoinSettings): boolean =>
  heard === ssid && (bssid === '' || point.bssid === bssid);

const carries = (point: AccessPoint, { ssid, bssid, channelMask }: JoinSettings): boolean =>
  point.ssid === ssid && (bssid === '' || point.bssid === bssid) && (channelMask & (1 << (point.channel - 1))) !== 0;

const suits = (point: AccessPoint, settings: JoinSettings): boolean =>
  carries(point, settings) && (settings.security === 'auto' || settings.security === point.security);
