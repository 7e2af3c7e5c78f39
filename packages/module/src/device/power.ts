import { type CancelTimer, type Clock, transition } from '@moorage/base';
import { type PowerState, type PowerTrigger, powerTable } from './power-table.ts';

/** Who has to know when the board stops answering and when it answers again: its sessions. */
interface PowerWatcher {
  /** The board goes down; what was half done is given up. */
  down(): void;
  /** It has started again. */
  up(): void;
}

/** Subscribes to the level of a pin; returns unsubscribe. */
interface PinWatch {
  onPin(pin: number, changed: () => void): () => void;
}

export interface WakeSources {
  /** Milliseconds; 0 for never. Spec: MOD-VAR-system.wakeup.timeout. */
  readonly timeoutMs: number;
  /** Spec: MOD-VAR-system.wakeup.events. */
  readonly pins: readonly number[];
}

/** Longest wait that is one timer of the host, in ms. */
const longestTimerMs = 2 ** 31 - 1;

/** Whether the board runs, starts or sleeps, and what wakes it. */
export class Power {
  #state: PowerState = 'on';
  readonly #clock: Clock;
  readonly #pins: PinWatch;
  // Made when first needed: most modules of a fleet have no watcher.
  #watchers: Set<PowerWatcher> | undefined;
  #disarm: readonly (() => void)[] = [];

  constructor(clock: Clock, pins: PinWatch) {
    this.#clock = clock;
    this.#pins = pins;
  }

  get state(): PowerState {
    return this.#state;
  }

  /** Takes a step; false when the table has none. Watchers are notified before this returns. */
  step(trigger: PowerTrigger): boolean {
    const next = transition(powerTable, this.#state, trigger);
    if (next === undefined) return false;
    const before = this.#state;
    this.#state = next;
    this.#forgetWake();
    const goesDown = before === 'on' && next !== 'on';
    const comesUp = before !== 'on' && next === 'on';
    for (const watcher of this.#watchers ?? []) {
      if (goesDown) watcher.down();
      if (comesUp) watcher.up();
    }
    return true;
  }

  /** Watches until the answer is called. */
  watch(watcher: PowerWatcher): () => void {
    this.#watchers ??= new Set();
    this.#watchers.add(watcher);
    return () => this.#watchers?.delete(watcher);
  }

  /** While asleep: calls `wake` once when the first source says so. A board without any sleeps until its reset. */
  armWake({ timeoutMs, pins }: WakeSources, wake: () => void): void {
    const once = (): void => {
      this.#forgetWake();
      wake();
    };
    const watches = pins.map((pin) => this.#pins.onPin(pin, once));
    const timer = timeoutMs > 0 ? [longAfter(this.#clock, timeoutMs, once)] : [];
    this.#disarm = [...timer, ...watches];
  }

  #forgetWake(): void {
    const disarm = this.#disarm;
    this.#disarm = [];
    for (const cancel of disarm) cancel();
  }
}

/** Like `clock.after` for waits that are longer than a timer of the host can be: variables go up to 136 years. */
export function longAfter(clock: Clock, delayMs: number, task: () => void): CancelTimer {
  let cancel: CancelTimer;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, longestTimerMs);
    cancel = clock.after(partMs, () => (leftMs > partMs ? wait(leftMs - partMs) : task()));
  };
  wait(delayMs);
  return () => cancel();
}
