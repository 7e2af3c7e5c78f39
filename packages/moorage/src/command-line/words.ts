import { UserError } from './define.ts';

/** What an account may be. */
export const roles = ['user', 'admin'] as const;

/** A word of a list, given at `where`. @throws {UserError} when it is none of them */
export function wordOf<const T extends string>(words: readonly T[], given: string, where: string): T;
export function wordOf<const T extends string>(
  words: readonly T[],
  given: string | undefined,
  where: string,
): T | undefined;
export function wordOf<const T extends string>(
  words: readonly T[],
  given: string | undefined,
  where: string,
): T | undefined {
  const word = words.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw new UserError(`${where} is "${given}", not one of ${words.join(', ')}`, 2);
}

/** Words of a list, given at `where` with commas between them. @throws {UserError} when one is none of them */
export function wordsOf<T extends string>(words: readonly T[], given: string, where: string): T[] {
  const parts = given.split(',');
  const found = words.filter((word) => parts.includes(word));
  if (found.length === parts.length) return found;
  throw new UserError(`${where} is "${given}", not some of ${words.join(', ')}`, 2);
}

/** Looks at a number that an option may be given. @throws {UserError} when it is not 1 to `most` */
export function checkCount(option: string, given: number | undefined, most: number): void {
  if (given !== undefined && (given < 1 || given > most)) {
    throw new UserError(`Option --${option} is ${given}, not a number of 1 to ${most}`, 2);
  }
}
