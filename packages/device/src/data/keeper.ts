import { type Store, Turns, writeEntry } from '@moorage/base';
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { Activation, DataState, emptyState } from './state.ts';

const storeNames = { activation: 'cloud', data: 'cloud-data' } as const;

const noState = emptyState('');

/**
 * The activation and its data in the board's store, one entry each. Data belong to the activation whose epoch they
 * have: with another one, or none, they count as absent, so that each change is whole.
 */
export class DataKeeper {
  readonly #store: Store;
  #activation: Activation | undefined;
  #state: DataState = noState;
  readonly #turns = new Turns();

  constructor(store: Store) {
    this.#store = store;
  }

  get activation(): Activation | undefined {
    return this.#activation;
  }

  get state(): DataState {
    return this.#state;
  }

  /** Reads what the store holds; to be called at each boot. */
  load(): Promise<void> {
    return this.#turns.run(async () => {
      this.#activation = await this.#read(storeNames.activation, Activation);
      const state = this.#activation && (await this.#read(storeNames.data, DataState));
      const epoch = this.#activation?.epoch ?? '';
      this.#state = state?.epoch === epoch ? state : emptyState(epoch);
    });
  }

  /** Resolves when the activation is durable. */
  activate(activation: Activation): Promise<void> {
    return this.#turns.run(async () => {
      await this.#write(storeNames.activation, activation);
      this.#activation = activation;
      this.#state = emptyState(activation.epoch);
    });
  }

  /** Ends an activation with all its data; nothing happens when it is not the one with that epoch. */
  deactivate(epoch: string): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#activation?.epoch !== epoch) return;
      await this.#store.remove(storeNames.activation);
      this.#activation = undefined;
      this.#state = noState;
      await this.#store.remove(storeNames.data);
    });
  }

  /**
   * Makes a new state out of the one at its turn, and resolves when that is durable; only then does `state` show it.
   * False when the activation with that epoch is over.
   */
  change(epoch: string, make: (state: DataState) => DataState): Promise<boolean> {
    return this.#turns.run(async () => {
      if (this.#activation?.epoch !== epoch) return false;
      const state = make(this.#state);
      if (state !== this.#state) await this.#write(storeNames.data, state);
      this.#state = state;
      return true;
    });
  }

  /** `undefined` for what this code has not written: a device boots whatever its memory holds. */
  async #read<S extends TSchema>(name: string, schema: S): Promise<Static<S> | undefined> {
    const bytes = await this.#store.read(name);
    if (!bytes) return undefined;
    try {
      const value: unknown = JSON.parse(Buffer.from(bytes).toString());
      return Value.Check(schema, value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  #write(name: string, value: unknown): Promise<void> {
    return writeEntry(this.#store, name, Buffer.from(JSON.stringify(value)));
  }
}
