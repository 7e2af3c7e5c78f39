import { type Clock, type Random, type Store, seededRandom } from '@moorage/base';
import { Bus } from '../bus/bus.ts';
import { Faults } from '../device/faults.ts';
import type { Flash } from '../device/flash-files.ts';
import { Pins } from '../device/gpio.ts';
import type { Identity } from '../device/identity.ts';
import { Log } from '../device/log.ts';
import type { PinRoles } from '../device/pin-roles.ts';
import { Power } from '../device/power.ts';
import { Rtc } from '../device/rtc.ts';
import type { StreamTable } from '../device/streams.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { defaultModel, type Model } from '../model/model.ts';
import { neutralPersonality, type Personality } from '../personality/personality.ts';
import { drawnTimings, type Timings } from '../personality/timings.ts';
import { VariableStore } from '../variables/store.ts';
import { BootFacts } from './boot-facts.ts';
import { pinRolesOf } from './pin-wiring.ts';
import { ModuleSources } from './variable-sources.ts';
import { logSettings, streamsOf } from './wiring.ts';

export interface CoreOptions {
  readonly clock: Clock;
  /** Time as its peers live in it, where `clock` runs faster than theirs; the same as `clock` without it. */
  readonly hostClock?: Clock;
  /** Everything that survives without power. */
  readonly store: Store;
  /** Seed of all randomness, and of the identity when the store does not hold one yet. */
  readonly seed: number | string;
  readonly model?: Model;
  readonly personality?: Personality;
  /** Where its service is: the defaults of `ota.host` and `ota.port`. */
  readonly service?: { readonly host: string; readonly port: number };
}

/** The parts of a module that work without a network, from the ground up. */
export class Core {
  readonly clock: Clock;
  readonly hostClock: Clock;
  readonly random: Random;
  readonly model: Model;
  readonly personality: Personality;
  readonly timings: Timings;
  readonly identity: Identity;
  readonly flash: Flash;
  readonly rtc: Rtc;
  readonly variables: VariableStore;
  readonly sources: ModuleSources;
  readonly facts: BootFacts;
  readonly log: Log;
  readonly pins: Pins;
  readonly pinRoles: PinRoles;
  readonly streams: StreamTable;
  readonly bus: Bus;
  readonly faults: Faults;
  readonly power: Power;

  constructor(options: CoreOptions, identity: Identity, flash: Flash) {
    const { clock, model = defaultModel, personality = neutralPersonality, seed, store } = options;
    this.clock = clock;
    this.hostClock = options.hostClock ?? clock;
    this.random = seededRandom(seed);
    this.model = model;
    this.personality = personality;
    this.timings = drawnTimings(personality.timings, this.random);
    this.identity = identity;
    this.flash = flash;
    this.rtc = new Rtc(clock);
    this.sources = new ModuleSources();
    this.variables = variablesOf(options, personality, this.sources);
    const { rtc, timings, variables } = this;
    const facts = new BootFacts(variables, model.limits.history);
    this.facts = facts;
    this.log = new Log(logSettings(variables, rtc), personality);
    const pins = new Pins({ clock, count: model.gpioCount, ownerOf: (pin) => variables.pinOwner(pin) });
    this.pins = pins;
    this.pinRoles = pinRolesOf({ pins, variables, facts });
    const { log, pinRoles } = this;
    // A ring: the bus takes each stream that opens, and carries the bytes of streams.
    const opened = (handle: number): void => this.bus.opened(handle);
    this.streams = streamsOf({ model, variables, log, pinRoles, facts, opened });
    this.bus = new Bus({ clock, variables, streams: this.streams, log, pinRoles, timings });
    this.faults = new Faults({ store, limit: model.limits.faults });
    this.power = new Power(clock, { onPin: (pin, changed) => pins.watch(pin, changed) });
  }

  /** The recovery program runs. Spec: MOD-VAR-system.safemode. */
  get safeMode(): boolean {
    return this.facts.safeMode;
  }

  get sessionLimits(): SessionBoard['sessionLimits'] {
    return this.facts.sessionLimits;
  }
}

function variablesOf(
  { service, store }: CoreOptions,
  { defaults, names, offered }: Personality,
  sources: ModuleSources,
): VariableStore {
  const given = service && new Map([...defaults, ['ota.host', service.host], ['ota.port', service.port]]);
  return new VariableStore({ names, offered, store, sources, defaults: given ?? defaults });
}
