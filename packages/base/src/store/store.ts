/**
 * The board's non-volatile memory, as the host gives it: named byte strings, each whole or absent.
 *
 * Every method resolves only when its effect is durable. After a cut at any moment each name holds what the last
 * finished call left there. Names are any text up to 200 bytes. A host that refuses, as a full disk does, makes a method
 * throw what `storeProblem` knows; the name then holds its content from before, or already the new one.
 */
export interface Store {
  names(): Promise<readonly string[]>;
  /**
   * Bytes `start` to `end` (exclusive, default the end) of a name; `undefined` when it is absent. The bytes may be
   * shared: do not change them. A store that has to copy them does so into what `allocate` gives.
   */
  read(name: string, start?: number, end?: number, allocate?: Allocate): Promise<Uint8Array | undefined>;
  /** Starts a new content for a name; nothing is visible before `publish`. */
  create(name: string): Promise<StoreWriter>;
  remove(name: string): Promise<void>;
}

/** A buffer of exactly so many bytes, whatever they are. */
export type Allocate = (bytes: number) => Uint8Array;

/** A content on its way. Exactly one of `publish` and `discard` ends it. */
export interface StoreWriter {
  /** Takes the next bytes, which the store may keep: do not change them afterwards. */
  append(chunk: Uint8Array): void | Promise<void>;
  /** Makes the content visible under its name, in place of an older one, in one step. */
  publish(): Promise<void>;
  /** Gives the content up. Does not throw what `storeProblem` knows: the next start clears away what is left. */
  discard(): Promise<void>;
}
