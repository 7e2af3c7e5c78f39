/** All randomness of a module, seeded, so that a run can be repeated. */
export interface Random {
  /** `count` bytes. */
  bytes(count: number): Uint8Array;
  /** An integer from 0 to `below` - 1. */
  below(below: number): number;
}

/** FNV-1a: spreads a seed text over the generator's state. */
function hash(text: string, start: number): number {
  let value = start;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** The generator sfc32, seeded by a number or text: small, fast, and not for secrets. */
export function seededRandom(seed: number | string): Random {
  // Made at the first use: a module that needs none keeps only its seed.
  let state: Uint32Array | undefined;
  const word = (): number => {
    state ??= start(String(seed));
    return step(state);
  };
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => word() & 0xff),
    below(below) {
      if (!(below >= 1 && below <= 2 ** 32)) throw new Error(`Cannot choose a number below ${below}`);
      // Values from the incomplete last stretch would favour low results.
      const limit = 2 ** 32 - (2 ** 32 % below);
      let value = word();
      while (value >= limit) value = word();
      return value % below;
    },
  };
}

function start(seed: string): Uint32Array {
  const state = Uint32Array.of(hash(seed, 0x811c9dc5), hash(seed, 0x9e3779b9), hash(seed, 0x243f6a88), 1);
  for (let round = 0; round < 12; round++) step(state);
  return state;
}

function step(state: Uint32Array): number {
  const [a = 0, b = 0, c = 0, counter = 0] = state;
  const sum = (a + b + counter) | 0;
  state[3] = counter + 1;
  state[0] = b ^ (b >>> 9);
  state[1] = c + (c << 3);
  state[2] = ((c << 21) | (c >>> 11)) + sum;
  return sum >>> 0;
}
