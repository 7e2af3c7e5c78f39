import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type Random, seededRandom } from '@moorage/base';

const uuidOf = (random: Random): `${string}-${string}-${string}-${string}-${string}` => {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/**
 * Has this process draw ids and chances from a seed, until it is told otherwise: a service asks the host for them, and
 * the place of a device in a rollout follows from two ids. Only for a process whose secrets nobody keeps.
 *
 * @returns what gives the host's own back
 */
export function seedHostRandom(seed: string): () => void {
  const random = seededRandom(`host ${seed}`);
  const own = { randomUUID: crypto.randomUUID, randomBytes: crypto.randomBytes, randomInt: crypto.randomInt };
  const use = (functions: object): void => {
    Object.assign(crypto, functions);
    syncBuiltinESMExports();
  };
  use({
    randomUUID: () => uuidOf(random),
    randomBytes: (count: number) => Buffer.from(random.bytes(count)),
    randomInt: (first: number, end?: number) =>
      end === undefined ? random.below(first) : first + random.below(end - first),
  });
  return () => use(own);
}
