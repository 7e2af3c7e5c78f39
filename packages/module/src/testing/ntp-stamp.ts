import type { NtpStamp } from '../services/sntp-packet.ts';

/** Seconds from 1900 to 1970. */
const epochSeconds = 2_208_988_800n;
const fraction = 2n ** 32n;

/** Epoch milliseconds as a time stamp, as servers send it. The seconds begin again in 2036. */
export function stampOf(epochMs: number): NtpStamp {
  const ms = BigInt(Math.floor(epochMs));
  const seconds = ms / 1000n + epochSeconds;
  return ((seconds % 2n ** 32n) * fraction) | (((ms % 1000n) * fraction) / 1000n);
}
