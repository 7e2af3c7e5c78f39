import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { hashPassword } from './passwords.ts';

/** Shortest password of an account, in characters: alone, and beside a second factor. */
const leastLength = { alone: 12, withFactor: 8 } as const;

export interface NewPasswordOf {
  /** User name and address of the account, as far as they are known. */
  readonly names?: readonly string[];
  readonly hasFactor?: boolean;
}

let commonOnes: Promise<ReadonlySet<string>> | undefined;

/** The passwords that people choose most often: some 49,000, read with the first that is chosen here. */
const common = (): Promise<ReadonlySet<string>> => {
  commonOnes ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((word) => String(word).toLowerCase())),
  );
  return commonOnes;
};

/** What stands around the letters of a word that is made to look like a password. */
const trimmings = /^[^\p{L}]+|[^\p{L}]+$/gu;

/** Whether it is a common one twice. */
function isDoubled(word: string, words: ReadonlySet<string>): boolean {
  const half = word.slice(0, word.length / 2);
  return half + half === word && words.has(half);
}

async function weaknessOf(password: string, { names = [], hasFactor = false }: NewPasswordOf) {
  const least = hasFactor ? leastLength.withFactor : leastLength.alone;
  if ([...password].length < least) {
    return hasFactor
      ? `needs at least ${least} characters`
      : `needs at least ${least} characters, or ${leastLength.withFactor} beside a second factor`;
  }
  const lower = password.toLowerCase();
  const word = lower.replace(trimmings, '');
  const own = names.flatMap((name) => [name.toLowerCase(), name.toLowerCase().split('@')[0]]);
  if (own.includes(lower) || own.includes(word)) return 'is made of your own name or address';
  const words = await common();
  const isOne = word === '' || new Set(lower).size < 4 || words.has(lower) || words.has(word) || isDoubled(word, words);
  return isOne ? 'is one that many people choose' : undefined;
}

/**
 * The stored form of a password that somebody has chosen: all that are stored come by here. Refusal: WEAK_PASSWORD.
 * Spec: API-RULE-password-1.
 */
export async function hashNewPassword(password: string, about: NewPasswordOf = {}): Promise<Result<string, Refusal>> {
  const problem = await weaknessOf(password, about);
  if (problem === undefined) return success(await hashPassword(password));
  return failure(refusal('WEAK_PASSWORD', { problem }, { source: 'body', keys: ['password'] }));
}
