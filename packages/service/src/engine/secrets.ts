import { hash, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const tokenLetters = 24;
const tailLength = 4;

/** What is stored of a secret that is random by itself (tokens): its SHA-256 in lower-case hex. */
export const hashSecret = (value: string): string => hash('sha256', value, 'hex');

/** Random letters and digits, 5.95 bits each. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A new token of any kind: 32 base64 characters, which decode to 24 ASCII letters and digits. Reference: model 2.3. */
export const newTokenValue = (): string => Buffer.from(randomText(tokenLetters), 'latin1').toString('base64');

/** What is shown of a token later on. Spec: API-RULE-token-1. */
export const tailOf = (value: string): string => value.slice(-tailLength);
