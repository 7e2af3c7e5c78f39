/** Lets a few tasks run at a time; the others begin in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** Those that have rested: they go before what has not begun, or every task would soon hold what it works with. */
  readonly #rested: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.#take(this.#waiting);
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  /** Within a task: others have its slot while it waits for something. */
  async rest<T>(wait: () => Promise<T>): Promise<T> {
    this.#give();
    try {
      return await wait();
    } finally {
      await this.#take(this.#rested);
    }
  }

  async #take(line: (() => void)[]): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => line.push(resolve));
  }

  #give(): void {
    const next = this.#rested.shift() ?? this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
