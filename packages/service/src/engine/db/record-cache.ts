/** Tells a cache whether what it holds still is what the records say. */
export interface Changes {
  /**
   * A number that grows with every committed write, other processes' included, save those that only mark a device as
   * heard of or a token as used. `undefined` where knowing it would cost as much as reading the record.
   */
  version(): number | undefined;
  /** Number of the last mark of any device so far. */
  readonly lastMark: number;
  /** Number of the last mark of this device; 0 when there is none. */
  markOf(deviceId: string): number;
}

/** Devices whose marks are remembered; when there are more, everything before counts as marked. */
const rememberedMarks = 200_000;

/** Counts committed writes and marks of one process. */
export class ChangeCounter {
  #writes = 0;
  #lastMark = 0;
  /** Marks up to this number have been forgotten: they may have been of any device. */
  #forgotten = 0;
  readonly #marks = new Map<string, number>();

  get writes(): number {
    return this.#writes;
  }

  get lastMark(): number {
    return this.#lastMark;
  }

  markOf(deviceId: string): number {
    return this.#marks.get(deviceId) ?? this.#forgotten;
  }

  noteWrite(): void {
    this.#writes++;
  }

  noteMark(deviceId: string): void {
    if (this.#marks.size >= rememberedMarks) {
      this.#marks.clear();
      this.#forgotten = this.#lastMark;
    }
    this.#marks.set(deviceId, ++this.#lastMark);
  }
}

/** One in so many entries goes when there are too many. */
const partThatGoes = 8;

interface Entry<V> {
  readonly value: V;
  readonly deviceId: string | undefined;
  readonly mark: number;
}

/**
 * Values made from records, never older than the records: any write empties it, and the mark of a device drops what
 * was made from that device. It holds nothing where changes cannot be known.
 */
export class RecordCache<V> {
  readonly #changes: Changes;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry<V>>();
  #version: number | undefined;

  /** @param limit most entries; the oldest go first */
  constructor(changes: Changes, limit: number) {
    this.#changes = changes;
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const version = this.#changes.version();
    if (version !== this.#version) {
      this.#entries.clear();
      this.#version = version;
      return undefined;
    }
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.deviceId === undefined || this.#changes.markOf(entry.deviceId) <= entry.mark) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * The moment before the records are read. What is made from them is kept by calling the result, unless something
   * was written meanwhile.
   */
  beginRead(): (key: string, value: V, deviceId?: string) => void {
    const version = this.#changes.version();
    const mark = this.#changes.lastMark;
    return (key, value, deviceId) => {
      if (version === undefined || version !== this.#changes.version()) return;
      if (version !== this.#version) {
        this.#entries.clear();
        this.#version = version;
      }
      if (this.#entries.size >= this.#limit) {
        // Many at once: looking for the oldest passes over the places of all that have gone before.
        for (const oldest of this.#entries.keys().take(Math.ceil(this.#limit / partThatGoes)))
          this.#entries.delete(oldest);
      }
      this.#entries.set(key, { value, deviceId, mark });
    };
  }
}
