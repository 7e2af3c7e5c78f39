/** All randomness of a module, seeded, so that a run can be repeated. */
export interface Random {
  /** `count` bytes. */
  bytes(count: number): Uint8Array;
  /** An integer from 0 to `below` - 1. */
  below(below: number): number;
}
