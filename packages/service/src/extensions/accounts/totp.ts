import { Secret, TOTP } from 'otpauth';

/** What apps know without being told: six digits of SHA-1, another code each 30 seconds. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Codes before and after the one of now that count: clocks differ, and people type. */
const window = 1;
const secretBytes = 20;

/** A new secret, base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The address by which an app takes the secret. */
export const totpUrl = (secret: string, label: string): string =>
  new TOTP({ ...form, issuer: 'Moorage', label, secret }).toString();

/** The step of 30 seconds since 1970 that a code is of; `undefined` for a wrong one. Spec: API-RULE-factor-2. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const timestamp = nowMs;
  const delta = new TOTP({ ...form, secret }).validate({ token: code, timestamp, window });
  return delta === null ? undefined : TOTP.counter({ period: form.period, timestamp }) + delta;
}
