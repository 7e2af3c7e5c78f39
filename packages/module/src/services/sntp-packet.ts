/** A time stamp of NTP: seconds in the upper half, their fractions in the lower. */
export type NtpStamp = bigint;

/** Seconds from 1900 to 1970. */
const epochSeconds = 2_208_988_800n;
const fraction = 2n ** 32n;
/** The seconds begin again in 2036: those below half of their range are of the time after that. */
const eraSeconds = 2n ** 32n;
const half = 2n ** 31n;

const packetBytes = 48;

/** Epoch milliseconds of a time stamp. */
export function epochOf(stamp: NtpStamp): number {
  const short = stamp / fraction;
  const seconds = (short < half ? short + eraSeconds : short) - epochSeconds;
  return Number(seconds) * 1000 + Number(((stamp % fraction) * 1000n) / fraction);
}

/** A request of a client of version 4 (RFC 4330, 5). `nonce` comes back in the reply. */
export function sntpRequest(nonce: NtpStamp): Uint8Array {
  const bytes = new Uint8Array(packetBytes);
  bytes[0] = 0x23;
  new DataView(bytes.buffer).setBigUint64(40, nonce);
  return bytes;
}

/** Codes of servers that do not know the time yet: chronyd leaves the code empty, ntpd names what it waits for. */
const unreadyCodes: ReadonlySet<string> = new Set(['\0\0\0\0', 'INIT', 'STEP']);

/** What a reply says. */
export type SntpReply =
  | { readonly kind: 'time'; readonly receivedMs: number; readonly sentMs: number }
  /** The server does not want to be asked again, or not so often. */
  | { readonly kind: 'kiss'; readonly code: string };

/**
 * Reads the reply to the request with that nonce. `undefined` for everything that cannot be trusted: another length,
 * mode or version, a nonce that was not sent, a server that does not know the time itself (RFC 4330, 5).
 */
export function readSntpReply(bytes: Uint8Array, nonce: NtpStamp): SntpReply | undefined {
  if (bytes.length < packetBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = bytes[0] ?? 0;
  const [leap, version, mode] = [first >> 6, (first >> 3) & 7, first & 7];
  const stratum = bytes[1] ?? 0;
  if (mode !== 4 || version < 1 || version > 4 || view.getBigUint64(24) !== nonce) return undefined;
  if (stratum === 0) {
    const code = Buffer.from(bytes.subarray(12, 16)).toString('latin1');
    return unreadyCodes.has(code) ? undefined : { kind: 'kiss', code };
  }
  const sent = view.getBigUint64(40);
  if (stratum > 15 || leap === 3 || sent === 0n) return undefined;
  return { kind: 'time', receivedMs: epochOf(view.getBigUint64(32)), sentMs: epochOf(sent) };
}
