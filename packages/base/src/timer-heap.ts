/** One timer that waits in a `TimerHeap`. */
export interface Timer {
  readonly atMs: number;
  readonly task: () => void;
  /** Breaks ties: timers of one moment run in the order in which they were set. */
  readonly order: number;
  /** Where it stands in the heap; -1 once it has left. */
  slot: number;
}

const isBefore = (a: Timer, b: Timer): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Timers, the next one on top. Adding, cancelling and taking cost the logarithm of how many wait. */
export class TimerHeap {
  readonly #timers: Timer[] = [];
  #order = 0;

  get size(): number {
    return this.#timers.length;
  }

  /** The timer that is due first. */
  get first(): Timer | undefined {
    return this.#timers[0];
  }

  add(atMs: number, task: () => void): Timer {
    const timer: Timer = { atMs, task, order: this.#order++, slot: this.#timers.length };
    this.#timers.push(timer);
    this.#rise(timer);
    return timer;
  }

  /** Takes a timer out; harmless when it has left already. */
  remove(timer: Timer): void {
    const { slot } = timer;
    if (slot < 0) return;
    timer.slot = -1;
    const last = this.#timers.pop();
    if (last === undefined || last === timer) return;
    this.#put(last, slot);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(timer: Timer): void {
    while (timer.slot > 0) {
      const parent = this.#timers[(timer.slot - 1) >> 1];
      if (parent === undefined || !isBefore(timer, parent)) return;
      this.#swap(timer, parent);
    }
  }

  #sink(timer: Timer): void {
    for (;;) {
      const left = this.#timers[2 * timer.slot + 1];
      const right = this.#timers[2 * timer.slot + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, timer)) return;
      this.#swap(timer, child);
    }
  }

  #swap(a: Timer, b: Timer): void {
    const { slot } = a;
    this.#put(a, b.slot);
    this.#put(b, slot);
  }

  #put(timer: Timer, slot: number): void {
    timer.slot = slot;
    this.#timers[slot] = timer;
  }
}
