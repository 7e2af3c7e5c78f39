/** Lets a few tasks run at a time; the others begin in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.#take();
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
      await this.#take();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
