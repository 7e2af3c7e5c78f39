import type { Clock } from '@moorage/base';

/** Why the storage cannot serve a request now, by no fault of the request or of the program. */
export interface StorageTrouble {
  /** It does not answer, has no room, too many wait for it, or it is not what was stored. */
  readonly kind: 'away' | 'full' | 'busy' | 'damaged';
  /** The part of the storage, for people: `database`, `file store`. */
  readonly what: string;
}

/** A failure of the storage for which no code of the system or of a driver stands. */
export class StorageError extends Error {
  readonly trouble: StorageTrouble;

  constructor(trouble: StorageTrouble, message: string, cause?: unknown) {
    super(message, { cause });
    this.trouble = trouble;
  }
}

/** How long after the last write without room a part counts as full, in ms: nothing else tells that there is room again. */
const fullMs = 10_000;

/** What this process has found out about the room in its storage, by what it could not write. */
export class StorageHealth {
  readonly #clock: Clock;
  readonly #classify: (error: unknown) => StorageTrouble | undefined;
  readonly #onFull: (what: string) => void;
  readonly #onDamaged: () => void;
  #hasDamagedRecords = false;
  /** When each part was last without room, on the monotonic clock. */
  readonly #fullAtMs = new Map<string, number>();

  /**
   * @param onFull called when a part has become full, once for all requests that meet it
   * @param onDamaged called once, when the database has turned out to be damaged
   */
  constructor(
    clock: Clock,
    classify: (error: unknown) => StorageTrouble | undefined,
    onFull: (what: string) => void = () => {},
    onDamaged: () => void = () => {},
  ) {
    this.#clock = clock;
    this.#classify = classify;
    this.#onFull = onFull;
    this.#onDamaged = onDamaged;
  }

  /** What an error says of the storage, if anything. That a part is full is remembered for a while. */
  readonly troubleOf = (error: unknown): StorageTrouble | undefined => {
    const trouble = this.#classify(error);
    if (trouble?.kind === 'damaged' && trouble.what === 'database' && !this.#hasDamagedRecords) {
      this.#hasDamagedRecords = true;
      this.#onDamaged();
    }
    if (trouble?.kind !== 'full') return trouble;
    const { what } = trouble;
    if (!this.full.includes(what)) this.#onFull(what);
    this.#fullAtMs.set(what, this.#clock.monotonic());
    return trouble;
  };

  /** Whether an error says that a part is full. */
  readonly isFull = (error: unknown): boolean => this.troubleOf(error)?.kind === 'full';

  /** Whether the database has turned out to be damaged since this process began: it is read, and changed no more. */
  get hasDamagedRecords(): boolean {
    return this.#hasDamagedRecords;
  }

  /** The parts that had no room lately. */
  get full(): readonly string[] {
    const afterMs = this.#clock.monotonic() - fullMs;
    return [...this.#fullAtMs].filter(([, atMs]) => atMs > afterMs).map(([what]) => what);
  }
}

interface UnusableOptions extends ErrorOptions {
  /** It is wrong wherever it is used, as opposed to right and of no use now. */
  readonly isMalformed?: boolean;
}

/** What a setting names cannot be used, by no fault of the program. The message names the flag, and holds no password. */
export class UnusableError extends Error {
  readonly isMalformed: boolean;

  constructor(message: string, { isMalformed = false, ...options }: UnusableOptions = {}) {
    super(message, options);
    this.isMalformed = isMalformed;
  }
}

/** What an error says. A name with several addresses fails once for each, and says so in the parts alone. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
};
