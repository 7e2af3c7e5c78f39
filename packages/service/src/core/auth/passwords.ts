import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';

const derive = promisify(argon2);

/**
 * argon2id at 19 MiB, two passes, one lane: about 30 ms. Records keep the numbers, so they can rise later. Only tests
 * lower them, which check thousands of passwords.
 */
export const passwordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;
const saltBytes = 16;

/** Hashes that run at once: each holds 19 MiB and one of the few threads that also read files. */
const concurrency = 2;
/** Logins that may wait for their turn. */
const waitingLimit = 200;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Whether so many passwords wait to be checked that another one should be sent away. */
export const passwordsAreBusy = (): boolean => waiting.length >= waitingLimit;

const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

function storedForm(nonce: Uint8Array, tag: Uint8Array): string {
  const { memory, passes, parallelism } = passwordCost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/** The stored form of a password: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const tag = await inTurn(() =>
    derive('argon2id', { message: password, nonce, tagLength: tagBytes, ...passwordCost }),
  );
  return storedForm(nonce, tag);
}

function parseHash(stored: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (!match) return undefined;
  const [, memory, passes, parallelism, nonce = '', tag = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Hash that no password has: checking against it takes as long as checking a real one. */
const unmatchable = (): string => storedForm(Buffer.alloc(saltBytes), Buffer.alloc(tagBytes));

/**
 * Whether the password is the one that was stored. Without a stored hash (no such user) it takes the same time and
 * says no.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const known = parseHash(stored ?? unmatchable());
  if (!known) throw new Error('A stored password hash has an unknown form');
  const { tag, ...parameters } = known;
  const found = await inTurn(() => derive('argon2id', { message: password, tagLength: tag.length, ...parameters }));
  return timingSafeEqual(found, tag) && stored !== undefined;
}

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
 * The stored form of a password that a user has chosen: every stored password is made here. Refusal: WEAK_PASSWORD.
 * Spec: API-RULE-password-1.
 */
export async function hashNewPassword(password: string, about: NewPasswordOf = {}): Promise<Result<string, Refusal>> {
  const problem = await weaknessOf(password, about);
  if (problem === undefined) return success(await hashPassword(password));
  return failure(refusal('WEAK_PASSWORD', { problem }, { source: 'body', keys: ['password'] }));
}
