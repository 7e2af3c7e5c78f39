import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

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

interface StoredHash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly nonce: Buffer;
  readonly tag: Buffer;
}

function parseHash(stored: string): StoredHash | undefined {
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
