import type { Claim } from '@moorage/device';

/** Activation tokens are 32 base64 characters. */
const tokenPattern = /^[A-Za-z0-9+/]{31}[A-Za-z0-9+/=]$/;

/**
 * The two words behind `dms claim`: product code and activation token when they look like that, else user name and
 * password. Reference: commands 7.1.
 */
export const claimOf = (first: string, second: string): Claim =>
  first.includes('-') && tokenPattern.test(second)
    ? { product: first, token: second }
    : { username: first, password: second };
