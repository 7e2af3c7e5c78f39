import { type Clock, failure, type Result, success, transition } from '@moorage/base';
import { type AnalogWaveform, PinOutside, type Waveform } from './pin-outside.ts';
import { type Direction, electrics, type Level, type PinState, type PinTrigger, pinTable } from './pin-table.ts';

/** What a command has made of a pin; lost with a reboot. Spec: MOD-GPIO-runtime. */
export type PinUse =
  | { readonly kind: 'gpio'; readonly direction: Direction; readonly latch: Level }
  | { readonly kind: 'adc' }
  | { readonly kind: 'pwm'; readonly hz: number; readonly dutyPercent: number }
  | { readonly kind: 'dac'; readonly volts: number };

/** What can be measured at a pin: a level (`null` is floating), a pulse train or a voltage. */
export type Signal =
  | { readonly level: Level | null }
  | { readonly hz: number; readonly dutyPercent: number }
  | { readonly volts: number };

/** The pin belongs to something else: the variable, board function or command that has it. */
interface PinTaken {
  readonly owner: string;
}

type Watcher = (signal: Signal) => void;

interface PinParts {
  readonly clock: Clock;
  readonly count: number;
  /** The variable or board function that a pin belongs to; `gpio.init` does not count. */
  readonly ownerOf: (pin: number) => string | undefined;
}

/** Commands that take pins, as they are named in the refusal of a taken one. */
const takers: Readonly<Record<PinUse['kind'], string>> = {
  gpio: 'gpio_dir',
  adc: 'adc_take_sample',
  pwm: 'pwm_update',
  dac: 'dac_set_level',
};

const noUses: ReadonlyMap<number, PinUse> = new Map();

const sameSignal = (a: Signal, b: Signal): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The pins of a board: what each is in use for, its level, what is connected from outside, and who watches. Which
 * variable has which pin is asked for when needed. Throws for a pin that the board lacks.
 */
export class Pins {
  readonly count: number;
  readonly #ownerOf: PinParts['ownerOf'];
  readonly #outside: PinOutside;
  // Made when first needed: a module of a fleet may never touch a pin.
  #uses: Map<number, PinUse> | undefined;
  /** Taken away from their function by `gpio_dir <n> none` until the next boot. */
  #freed: Set<number> | undefined;
  /** Levels that functions give their pins. */
  #levels: Map<number, { readonly owner: string; readonly level: Level }> | undefined;
  #watchers: Map<number, { last: Signal; readonly watchers: Set<Watcher> }> | undefined;

  constructor({ clock, count, ownerOf }: PinParts) {
    this.count = count;
    this.#ownerOf = ownerOf;
    this.#outside = new PinOutside(clock, (pin) => this.#look(pin));
  }

  /** What commands use pins for, by pin. */
  get uses(): ReadonlyMap<number, PinUse> {
    return this.#uses ?? noUses;
  }

  stateOf(pin: number): PinState {
    this.#check(pin);
    const use = this.#uses?.get(pin);
    return use?.kind ?? (this.#functionOf(pin) === undefined ? 'free' : 'function');
  }

  isFreed(pin: number): boolean {
    return this.#freed?.has(pin) ?? false;
  }

  /** Makes a GPIO of a pin, or changes its direction; an output keeps its level unless one is given. */
  register(pin: number, direction: Direction, level?: Level): Result<void, PinTaken> {
    const use = this.#uses?.get(pin);
    const latch = level ?? (use?.kind === 'gpio' ? use.latch : 0);
    return this.#take(pin, 'register', { kind: 'gpio', direction, latch });
  }

  /** Nothing has the pin any more, until the next boot. */
  deregister(pin: number): void {
    if (this.stateOf(pin) === 'free') return;
    // Spec: MOD-GPIO-dir-none.
    if (this.#ownerOf(pin) !== undefined) {
      this.#freed ??= new Set();
      this.#freed.add(pin);
    }
    this.#uses?.delete(pin);
    this.#look(pin);
  }

  /** Whether `trigger` would be refused, and for whose sake. */
  refusal(pin: number, trigger: PinTrigger): PinTaken | undefined {
    if (transition(pinTable, this.stateOf(pin), trigger)) return undefined;
    const use = this.#uses?.get(pin);
    return { owner: use ? takers[use.kind] : (this.#functionOf(pin) ?? '') };
  }

  /** The voltage at a pin, which is an analog input from now on. */
  sample(pin: number): Result<number, PinTaken> {
    const taken = this.#take(pin, 'sample', { kind: 'adc' });
    return taken.ok ? success(this.#outside.volts(pin)) : taken;
  }

  modulate(pin: number, hz: number, dutyPercent: number): Result<void, PinTaken> {
    return this.#take(pin, 'modulate', { kind: 'pwm', hz, dutyPercent });
  }

  /** Ends pulses; harmless on a pin that has none. */
  stopModulation(pin: number): Result<void, PinTaken> {
    const taken = this.refusal(pin, 'stop');
    if (taken) return failure(taken);
    if (this.#uses?.delete(pin)) this.#look(pin);
    return success(undefined);
  }

  convert(pin: number, volts: number): Result<void, PinTaken> {
    return this.#take(pin, 'convert', { kind: 'dac', volts });
  }

  /** The voltage at a pin, for the function that has it. */
  volts(pin: number): number {
    this.#check(pin);
    return this.#outside.volts(pin);
  }

  /** Level of a GPIO; of another pin what is connected to it. A floating pin reads 0. */
  level(pin: number): Level {
    const signal = this.signal(pin);
    return 'level' in signal ? (signal.level ?? 0) : 0;
  }

  /** Gives an output its level. False when the pin is none. */
  write(pin: number, level: Level): boolean {
    this.#check(pin);
    const use = this.#uses?.get(pin);
    if (use?.kind !== 'gpio' || !electrics[use.direction].output) return false;
    this.#uses?.set(pin, { ...use, latch: level });
    this.#look(pin);
    return true;
  }

  /** A function gives its pin a level; nothing happens when the pin has been taken from it. */
  put(owner: string, pin: number, level: Level): void {
    this.#check(pin);
    if (this.#functionOf(pin) !== owner || this.#uses?.has(pin)) return;
    this.#levels ??= new Map();
    this.#levels.set(pin, { owner, level });
    this.#look(pin);
  }

  /** Whether a function's pin is driven high from outside. A pin that is not driven is not asserted. */
  asserted(pin: number): boolean {
    this.#check(pin);
    return this.#outside.level(pin) === 1;
  }

  /** A boot: no pin is in use by a command, and functions have theirs back. What is connected stays connected. */
  reset(): void {
    this.#uses = undefined;
    this.#freed = undefined;
    this.#levels = undefined;
    this.ownersChanged();
  }

  /** A variable has been given pins, or has lost one. */
  ownersChanged(granted: readonly number[] = []): void {
    for (const pin of granted) this.#freed?.delete(pin);
    for (const pin of this.#watchers?.keys() ?? []) this.#look(pin);
  }

  /** Connects a level or a waveform to a pin from outside; `null` disconnects what there was. */
  drive(pin: number, what: Level | null | Waveform): void {
    this.#check(pin);
    this.#outside.connect(pin, what);
    this.#look(pin);
  }

  /** Connects a voltage, or one that changes with time, to a pin from outside. Watchers hear of its start only. */
  analog(pin: number, what: number | AnalogWaveform): void {
    this.#check(pin);
    this.#outside.connectAnalog(pin, what);
    this.#look(pin);
  }

  /** Calls `watcher` after every change of the signal at a pin. Returns unsubscribe. */
  watch(pin: number, watcher: Watcher): () => void {
    this.#check(pin);
    this.#watchers ??= new Map();
    const entry = this.#watchers.get(pin) ?? { last: this.signal(pin), watchers: new Set() };
    this.#watchers.set(pin, entry);
    entry.watchers.add(watcher);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && this.#watchers?.get(pin) === entry) this.#watchers.delete(pin);
    };
  }

  /** What can be measured at a pin now. */
  signal(pin: number): Signal {
    this.#check(pin);
    const use = this.#uses?.get(pin);
    if (use?.kind === 'pwm') return { hz: use.hz, dutyPercent: use.dutyPercent };
    if (use?.kind === 'dac') return { volts: use.volts };
    const outside = this.#outside.level(pin);
    if (use?.kind === 'gpio') {
      const { output, drivesHigh, pull } = electrics[use.direction];
      // The board is stronger than what is connected to it.
      if (output && (use.latch === 0 || drivesHigh)) return { level: use.latch };
      return { level: outside ?? pull ?? null };
    }
    const own = use ? undefined : this.#levels?.get(pin);
    return { level: own && own.owner === this.#functionOf(pin) ? own.level : outside };
  }

  /** Stops waveforms: the board goes. */
  close(): void {
    this.#outside.close();
  }

  #functionOf(pin: number): string | undefined {
    return this.isFreed(pin) ? undefined : this.#ownerOf(pin);
  }

  #take(pin: number, trigger: PinTrigger, use: PinUse): Result<void, PinTaken> {
    const taken = this.refusal(pin, trigger);
    if (taken) return failure(taken);
    this.#uses ??= new Map();
    this.#uses.set(pin, use);
    this.#look(pin);
    return success(undefined);
  }

  #look(pin: number): void {
    const entry = this.#watchers?.get(pin);
    if (!entry) return;
    const signal = this.signal(pin);
    if (sameSignal(signal, entry.last)) return;
    entry.last = signal;
    for (const watcher of [...entry.watchers]) watcher(signal);
  }

  #check(pin: number): void {
    if (!Number.isInteger(pin) || pin < 0 || pin >= this.count) throw new Error(`The board has no pin ${pin}`);
  }
}
