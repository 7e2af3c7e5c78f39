import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { dayMs } from '@moorage/base';
import { isAddress, type KeyedCertificate, type Purpose, writeCertificate } from './x509.ts';

const makeKeys = promisify(generateKeyPair);

/** A certificate of a device, with what the service keeps of it. */
export interface DeviceCertificate extends KeyedCertificate {
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
}

/** How long each kind is valid; that of devices is a setting. The listener renews its own. */
export const validityDays = { authority: 10_950, server: 7300 } as const;

/** When certificates begin that devices check, epoch ms: a device without a clock begins in 1970, and its time is never before. */
const earliestMs = 0;

/** Those of devices are checked by the service alone, and renewed when a third of their time is left: it cannot begin in 1970. */
const clockToleranceMs = dayMs;

interface Order {
  readonly commonName: string;
  readonly nowMs: number;
  readonly days: number;
  readonly purpose: Purpose;
  readonly signer?: KeyedCertificate;
}

/** A certificate that outlives its signer would fail before its device thinks of renewing it. */
const endOf = (signer: KeyedCertificate | undefined): number =>
  signer ? new X509Certificate(signer.certificate).validToDate.getTime() : Number.POSITIVE_INFINITY;

async function make({ nowMs, days, ...order }: Order): Promise<KeyedCertificate> {
  const { privateKey: key } = await makeKeys('ec', { namedCurve: 'P-256' });
  const notBeforeMs = order.purpose.for === 'client' ? nowMs - clockToleranceMs : earliestMs;
  const notAfterMs = Math.min(nowMs + days * dayMs, endOf(order.signer));
  const certificate = await writeCertificate({ ...order, notBeforeMs, notAfterMs, key });
  return { certificate, key: String(key.export({ type: 'pkcs8', format: 'pem' })) };
}

/** Makes a private certificate authority (EC P-256), valid for 30 years from `nowMs`, epoch ms, and at any time before. Spec: API-DEV-identity. */
export const makeAuthority = (nowMs: number): Promise<KeyedCertificate> =>
  make({
    // The suffix tells the authorities of two installations apart when their certificates lie side by side.
    commonName: `Moorage devices ${randomBytes(4).toString('hex')}`,
    nowMs,
    days: validityDays.authority,
    purpose: { for: 'authority' },
  });

/** Makes the certificate of the device listener for these host names and addresses. */
export const makeServerCertificate = (
  authority: KeyedCertificate,
  hosts: readonly string[],
  nowMs: number,
): Promise<KeyedCertificate> =>
  make({
    commonName: hosts[0] ?? 'localhost',
    nowMs,
    days: validityDays.server,
    signer: authority,
    purpose: { for: 'server', hosts },
  });

/** Makes the certificate of a device, good for that many days: CN = its hardware uuid. Spec: API-DEV-identity. */
export async function makeDeviceCertificate(
  authority: KeyedCertificate,
  uuid: string,
  nowMs: number,
  days: number,
): Promise<DeviceCertificate> {
  const made = await make({
    commonName: uuid,
    nowMs,
    days,
    signer: authority,
    purpose: { for: 'client' },
  });
  return { ...made, fingerprint: fingerprintOf(made.certificate) };
}

/** SHA-256 of a certificate, lower-case hex without colons. */
export const fingerprintOf = (certificate: string): string =>
  plainFingerprint(new X509Certificate(certificate).fingerprint256);

/** Node prints fingerprints as upper-case pairs with colons; the records hold them plain. */
const plainFingerprint = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();

/** When the time of a certificate ends, epoch ms. */
export const endMs = (certificate: string): number => new X509Certificate(certificate).validToDate.getTime();

/** Name (CN) of a certificate, and its time, epoch ms. */
export function validityOf(certificate: string) {
  const { subject, validFromDate, validToDate } = new X509Certificate(certificate);
  return { name: subject.replace(/^CN=/, ''), fromMs: validFromDate.getTime(), toMs: validToDate.getTime() };
}

/** What is wrong with the time of a certificate at a moment, epoch ms. */
export function timeTrouble(certificate: string, nowMs: number): string | undefined {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  if (nowMs < validFromDate.getTime()) return `is not valid before ${validFromDate.toISOString()}`;
  return nowMs > validToDate.getTime() ? `has not been valid since ${validToDate.toISOString()}` : undefined;
}

/** Whether a server certificate is in force, serves all these hosts, and has more than `marginDays` to live. */
export function serves(
  certificate: string,
  authority: string,
  hosts: readonly string[],
  nowMs: number,
  marginDays: number,
): boolean {
  const parsed = new X509Certificate(certificate);
  if (timeTrouble(certificate, nowMs) !== undefined) return false;
  if (endMs(certificate) < nowMs + marginDays * dayMs) return false;
  if (!parsed.verify(new X509Certificate(authority).publicKey)) return false;
  return hosts.every((host) => (isAddress(host) ? parsed.checkIP(host) : parsed.checkHost(host)) !== undefined);
}
