import { type Store, writeEntry } from '@moorage/base';

const storeName = 'faults';

const faultName = /^[\x21-\x7e][\x20-\x7e]{0,46}[\x21-\x7e]$/;

/** Whether a fault can be called so: one line of 2 to 48 printable characters. */
export const isFaultName = (name: string): boolean => faultName.test(name);

/** The exception that forcing the safe mode fills the list with. */
export const forcedFault = 'NMI Exception';

interface FaultParts {
  readonly store: Store;
  /** Faults that lead to safe mode, and the most that are kept. Spec: MOD-LIMIT-faults. */
  readonly limit: number;
}

/** Watchdog and hard faults of the program, kept over boots. Reference: power 3.1. */
export class Faults {
  readonly #store: Store;
  readonly #limit: number;
  #names: readonly string[] = [];

  constructor({ store, limit }: FaultParts) {
    this.#store = store;
    this.#limit = limit;
  }

  /** Names of the exceptions, oldest first. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The next boot is one into safe mode. Spec: MOD-STATE-3. */
  get full(): boolean {
    return this.#names.length >= this.#limit;
  }

  /** Reads what earlier power cycles have left; a damaged list counts as empty. */
  async load(): Promise<void> {
    const bytes = await this.#store.read(storeName);
    const names = bytes ? Buffer.from(bytes).toString('latin1').split('\n') : [''];
    // Whole lists end in a line end.
    const whole = names.pop() === '' && names.every(isFaultName);
    this.#names = whole ? names.slice(0, this.#limit) : [];
  }

  /**
   * Keeps one more; resolves when it is durable. A full list stays as it is: what led to safe mode is not overwritten.
   * Throws for a name that is not one line of 2 to 48 printable characters.
   */
  async add(name: string): Promise<void> {
    if (!isFaultName(name)) throw new Error(`Fault "${name}" is not a line of 2 to 48 printable characters`);
    if (!this.full) await this.#write([...this.#names, name]);
  }

  /** Forces safe mode at the next boot. Spec: MOD-STATE-4. */
  async fill(): Promise<void> {
    const missing = this.#limit - this.#names.length;
    await this.#write([...this.#names, ...Array.from({ length: missing }, () => forcedFault)]);
  }

  /** Spec: MOD-CMD-faults_reset. */
  async reset(): Promise<void> {
    await this.#store.remove(storeName);
    this.#names = [];
  }

  async #write(names: readonly string[]): Promise<void> {
    await writeEntry(this.#store, storeName, Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1'));
    this.#names = names;
  }
}
