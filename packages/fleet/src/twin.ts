import type { CancelTimer, Clock, Random, Store } from '@moorage/base';
import { dayMs, seededRandom, sleep, transition } from '@moorage/base';
import { type DeviceEvent, fallBack, type Login, type OtaOptions, type ServiceFailure } from '@moorage/device';
import { backOffMs } from '@moorage/device/pause';
import { createModule, type Module, type ModuleOptions } from '@moorage/module';
import type { Model } from '@moorage/module/model/model';
import type { Net } from '@moorage/net';
import { runHost } from './host.ts';
import { type Traffic, TwinNet } from './link.ts';
import type { Turns } from './pace.ts';
import type { TwinPlan } from './plan.ts';
import { Power } from './power.ts';
import { airOf, clockOf } from './surroundings.ts';
import { type TwinState, type TwinTrigger, twinTransitions } from './twin-table.ts';

/** The flash of one module, and how it is given back. */
export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** What a fleet has done so far. */
export interface Tally extends Traffic {
  polls: number;
  updates: number;
  failures: number;
  /** Requests that came to nothing, and why the last one did. */
  troubles: number;
  trouble: string;
}

/** What the API does for a module that is not a device of the product yet. */
export interface Enrolment {
  /** A new provisioning token of a device that is known. */
  renew(uuid: string): Promise<string>;
  /** The activation token of one module. */
  activationToken(): Promise<string>;
}

/** What all modules of a fleet share. */
export interface World {
  readonly clock: Clock;
  readonly hostClock: Clock;
  readonly net: (index: number) => Net;
  readonly openStore: (index: number) => Promise<OpenStore>;
  readonly service: NonNullable<ModuleOptions['service']>;
  /** PEM text of the authority that the service's certificate is checked against. */
  readonly ca: string;
  /** Full code of the product. */
  readonly product: string;
  /** The board of a group. */
  readonly modelOf: (group: TwinPlan['group']) => Model;
  /** Whose data cloud the samples and messages go to. */
  readonly login?: Login | undefined;
  readonly enrolment: Enrolment;
  readonly turns: Turns;
  readonly tally: Tally;
}

/** Between two polls where the scenario says nothing, in s. */
const usualPollS = 60;
const usualOffS = 10;
const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
/** Until the poll that follows the first version of a module. */
const soonMs = 1_000;

/** How the time with power has ended: it went, the module restarts into something else, or it is gone for good. */
type Ending = 'cut' | 'restart' | 'lost';

/** One module of a fleet, the host that has it poll, and what happens to both. */
export class Twin {
  readonly plan: TwinPlan;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #stopping = Promise.withResolvers<'cut'>();
  #state: TwinState = 'off';
  #standing: 'unknown' | 'current' | 'failed' = 'unknown';
  #isReached = false;
  #isEnrolled = false;
  #retries = 0;
  /** How long it does not ask after a start: it has just failed an update. */
  #quietMs = 0;
  #pollAfterS: number | undefined;
  #offered: string | undefined;
  #opened: OpenStore | undefined;
  #power = new Power();
  #module: Module | undefined;
  #cancelCut: CancelTimer | undefined;
  #life: Promise<void> | undefined;

  constructor(plan: TwinPlan, world: World) {
    this.plan = plan;
    this.#world = world;
    this.#clock = clockOf(plan, world.clock);
    this.#random = seededRandom(`life ${plan.seed}`);
  }

  get state(): TwinState {
    return this.#state;
  }

  /** Its last request has reached the service, and it is on. */
  get isOnline(): boolean {
    return this.#isReached && ['waiting', 'asking', 'updating'].includes(this.#state);
  }

  /** It runs what it was offered last, and the service has heard so. */
  get isUpdated(): boolean {
    return this.#standing === 'current' && this.#state !== 'lost' && this.#module?.client.reportPending !== true;
  }

  /** Its last update has failed. */
  get isFailed(): boolean {
    return this.#standing === 'failed' || this.#state === 'lost';
  }

  get identity(): Module['identity'] {
    return this.#running.identity;
  }

  /** It has no certificate, and no token for one. */
  get isBlank(): boolean {
    return this.#running.client.provisionStatus === 0;
  }

  get #running(): Module {
    if (!this.#module) throw new Error('The module is switched off');
    return this.#module;
  }

  /** Puts the module together over its flash, and boots it. */
  async switchOn(): Promise<void> {
    const { group, index, seed } = this.plan;
    const { hostClock, modelOf, net, openStore, service, tally, turns } = this.#world;
    this.#opened ??= await openStore(index);
    const power = new Power();
    this.#power = power;
    const bad = group.flash?.bad_writes_percent ?? 0;
    const isBad = (): boolean => bad > 0 && this.#state === 'updating' && this.#chance(bad);
    const link = { clock: this.#clock, net: net(index), power, random: this.#random, settings: group.link };
    const module = await createModule({
      clock: this.#clock,
      hostClock,
      store: power.store(this.#opened.store, isBad),
      net: new TwinNet({ ...link, traffic: tally, turn: turns.turn }),
      air: airOf(this.plan),
      seed,
      model: modelOf(group),
      personality: group.personality,
      service,
    });
    this.#module = module;
    module.client.onEvent((event) => this.#hear(event));
    this.#to('switchOn');
    await module.boot();
    this.#planCut();
  }

  /**
   * Lives until `stop`: enrols, polls and updates itself, and comes back after whatever happens to it.
   *
   * @param token provisioning token, when it `isBlank`
   */
  live(token?: string): Promise<void> {
    this.#life = this.#live(token);
    return this.#life;
  }

  async #live(token?: string): Promise<void> {
    let ending: Ending;
    let given = token;
    await Promise.race([this.#world.turns.begin(), this.#stopping.promise]);
    if (this.#isStopped()) return;
    do {
      const gone = this.#power.gone.then(() => 'cut' as const);
      ending = await Promise.race([this.#awake(given), gone, this.#stopping.promise]);
      given = undefined;
      if (this.#isStopped()) return;
      this.#switchOff(ending);
      if (ending === 'lost') return;
      const offMs = ending === 'cut' ? (this.plan.group.power?.off_s ?? usualOffS) * 1000 : firstRetryMs;
      await Promise.race([sleep(this.#clock, offMs), this.#stopping.promise]);
      if (this.#isStopped()) return;
      await this.switchOn();
    } while (!this.#isStopped());
  }

  /** Switches it off in order, for good. What it has acknowledged is in its flash. */
  async stop(): Promise<void> {
    this.#to('stop');
    this.#stopping.resolve('cut');
    this.#cancelCut?.();
    // A boot that is under way comes to its end. Whoever awaits its life hears of what went wrong in it.
    await this.#life?.catch(() => {});
    if (this.#power.isOn) await this.#module?.close();
    this.#power.cut();
    await this.#opened?.close();
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #to(trigger: TwinTrigger): void {
    this.#state = transition(twinTransitions, this.#state, trigger) ?? this.#state;
  }

  #chance(percent: number): boolean {
    return this.#random.below(10_000) < percent * 100;
  }

  #switchOff(ending: Ending): void {
    this.#cancelCut?.();
    this.#to(ending === 'lost' ? 'lose' : 'cut');
    this.#isReached = false;
    // Without power its end is not awaited: what it waits for never comes.
    if (this.#power.isOn) this.#power.cut();
    void this.#module?.close().catch(() => {});
  }

  #planCut(): void {
    const perDay = this.plan.group.power?.cuts_per_day ?? 0;
    if (perDay === 0) return;
    const power = this.#power;
    const afterMs = (-Math.log((1 + this.#random.below(1_000_000)) / 1_000_001) * dayMs) / perDay;
    this.#cancelCut = this.#clock.after(afterMs, () => power.cut());
  }

  #hear(event: DeviceEvent): void {
    const { tally } = this.#world;
    if (event.type === 'poll') this.#pollAfterS = event.afterS;
    if (event.type === 'ota') {
      this.#offered = event.version;
      this.#standing = 'unknown';
      this.#to('offered');
    }
    // What has failed is not offered again by itself, and the module runs something else.
    if (event.type === 'current' && this.#standing === 'unknown') this.#standing = 'current';
    if (event.type === 'updated') {
      tally.updates++;
      this.#standing = 'current';
    }
  }

  /** A request came to nothing. Returns how long to wait. */
  #trouble({ message }: Pick<ServiceFailure, 'message'>): number {
    const { tally } = this.#world;
    tally.troubles++;
    tally.trouble = `${this.plan.title}: ${message}`;
    this.#isReached = false;
    return this.#about(backOffMs(++this.#retries, firstRetryMs, longestRetryMs));
  }

  /** So much, a tenth more or less. */
  #about(ms: number): number {
    return Math.round(ms * (0.9 + this.#random.below(201) / 1000));
  }

  #pause(ms: number): Promise<void> {
    return this.#power.run(() => sleep(this.#clock, ms));
  }

  async #awake(token: string | undefined): Promise<Ending> {
    try {
      await this.#enrol(token);
      const { login } = this.#world;
      const { group } = this.plan;
      if (login && group.host) {
        const parts = { module: this.#running, clock: this.#clock, power: this.#power, random: this.#random };
        await runHost({ ...parts, settings: group.host, login, trouble: (message) => this.#trouble({ message }) });
      }
      const quietMs = this.#quietMs;
      this.#quietMs = 0;
      if (quietMs > 0) await this.#pause(quietMs);
      for (;;) {
        const next = await this.#ask();
        if (typeof next !== 'number') return next;
        await this.#rest(next);
      }
    } catch (error) {
      // The flash has failed under it: a watchdog resets a real one.
      this.#trouble({ message: (error as Error).message });
      if (this.#state === 'updating') this.#fail();
      return 'restart';
    }
  }

  /** Gets its certificate and its product, whatever it has of both. */
  async #enrol(token: string | undefined): Promise<void> {
    const { client, identity } = this.#running;
    const { ca, enrolment } = this.#world;
    let given = token;
    for (;;) {
      const provisioned = await client.provision(given, ca);
      if (provisioned.ok) break;
      const waitMs = this.#trouble(provisioned.error);
      // A token that was used by a start that was cut, or that was never heard of.
      given =
        provisioned.error.code === undefined && client.provisionStatus > 0
          ? undefined
          : await enrolment.renew(identity.uuid);
      await this.#pause(waitMs);
    }
    while (!this.#isEnrolled) {
      const failed = await this.#adopt();
      if (failed) await this.#pause(this.#trouble(failed));
      else this.#isEnrolled = true;
    }
    this.#retries = 0;
    this.#isReached = true;
    this.#to('enrolled');
  }

  async #adopt(): Promise<ServiceFailure | undefined> {
    const { client } = this.#running;
    const { enrolment, product } = this.#world;
    const info = await client.info();
    if (!info.ok) return info.error;
    if (info.value.product === product) return undefined;
    const claimed = await client.claim({ product, token: await enrolment.activationToken() });
    return claimed.ok ? undefined : claimed.error;
  }

  /** One poll, and the update that it brings. Returns how long to wait for the next, in ms. */
  async #ask(): Promise<number | Ending> {
    const { client } = this.#running;
    const before = client.installed();
    const { version } = this.plan.group;
    const first: OtaOptions = before === undefined && version !== undefined ? { bundle: version } : {};
    this.#to('ask');
    this.#offered = undefined;
    this.#pollAfterS = undefined;
    this.#world.tally.polls++;
    const asked = await client.update(first);
    if (!asked.ok) {
      const isOver = this.#offered !== undefined && asked.error.network === undefined && !asked.error.local;
      if (isOver) this.#fail();
      this.#to('answered');
      const retryMs = this.#trouble(asked.error);
      if (this.#offered !== undefined || asked.error.code !== 'NOT_FOUND') return retryMs;
      // No bundle is meant for it: that is an answer, and asking sooner would not change it.
      this.#retries = 0;
      this.#isReached = true;
      return this.#untilNextPollMs();
    }
    this.#retries = 0;
    this.#isReached = true;
    if (asked.value === 'installed') {
      const ending = await this.#restart(before && { bundleId: before.bundleId, bversion: before.bversion });
      if (ending) return ending;
    }
    this.#to('answered');
    return first.bundle === undefined ? this.#untilNextPollMs() : soonMs;
  }

  #untilNextPollMs(): number {
    const pollS = this.plan.group.poll_s ?? usualPollS;
    return this.#about(Math.min(pollS, this.#pollAfterS ?? pollS) * 1000);
  }

  /** The restart into what has been installed; a bad version does not come up. */
  async #restart(before: { bundleId: string; bversion: string } | undefined): Promise<Ending | undefined> {
    const module = this.#running;
    await this.#pause(module.client.restartWaitMs);
    const fault = this.plan.faults.get(this.#offered ?? '');
    if (fault === undefined) {
      await module.reboot();
      return undefined;
    }
    this.#fail();
    this.#quietMs = this.#about((this.plan.group.poll_s ?? usualPollS) * 1000);
    if (fault === 'never_back') return 'lost';
    await module.close();
    if (this.#opened) await fallBack(this.#opened.store, before, { isSilent: fault === 'reports_old' });
    return 'restart';
  }

  #fail(): void {
    this.#standing = 'failed';
    this.#world.tally.failures++;
  }

  async #rest(ms: number): Promise<void> {
    const module = this.#running;
    // It reports first what it has to.
    if (!this.plan.group.power?.sleeps || module.client.reportPending) return this.#pause(Math.max(ms, soonMs));
    await module.sleep();
    this.#to('doze');
    await this.#pause(ms);
    await module.reset();
    this.#to('wake');
  }
}
