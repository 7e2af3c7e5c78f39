import { randomBytes, X509Certificate } from 'node:crypto';
import { type CertificateExtension, generate, type SubjectAltNameEntry } from 'selfsigned';

/** A certificate and its private key, PEM texts. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate of a device, with what the service keeps of it. */
export interface DeviceCertificate extends KeyedCertificate {
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
}

const dayMs = 86_400_000;

/** How long each kind is valid. Devices in the field cannot renew theirs; the listener renews its own. */
export const validityDays = { authority: 10_950, server: 7300, device: 10_950 } as const;

/** Devices whose clocks are late still accept what was made today. */
const clockToleranceMs = dayMs;

interface Order {
  readonly commonName: string;
  readonly nowMs: number;
  readonly days: number;
  readonly extensions: CertificateExtension[];
  readonly signer?: KeyedCertificate;
}

async function make({ commonName, nowMs, days, extensions, signer }: Order): Promise<KeyedCertificate> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - clockToleranceMs),
    notAfterDate: new Date(nowMs + days * dayMs),
    extensions,
    ...(signer && { ca: { cert: signer.certificate, key: signer.key } }),
  });
  return { certificate: made.cert, key: made.private };
}

/** Makes a private certificate authority (EC P-256), valid from `nowMs`, epoch milliseconds. Spec: API-DEV-identity. */
export const makeAuthority = (nowMs: number): Promise<KeyedCertificate> =>
  make({
    // The suffix tells the authorities of two installations apart when their certificates lie side by side.
    commonName: `Moorage devices ${randomBytes(4).toString('hex')}`,
    nowMs,
    days: validityDays.authority,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });

const isAddress = (host: string): boolean => host.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);

const alternativeName = (host: string): SubjectAltNameEntry =>
  isAddress(host) ? { type: 7, ip: host } : { type: 2, value: host };

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
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: hosts.map(alternativeName) },
    ],
  });

/** Makes the certificate of a device: CN = its hardware uuid. Spec: API-DEV-identity. */
export async function makeDeviceCertificate(
  authority: KeyedCertificate,
  uuid: string,
  nowMs: number,
): Promise<DeviceCertificate> {
  const made = await make({
    commonName: uuid,
    nowMs,
    days: validityDays.device,
    signer: authority,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
  return { ...made, fingerprint: fingerprintOf(made.certificate) };
}

/** SHA-256 of a certificate, lower-case hex without colons. */
export const fingerprintOf = (certificate: string): string =>
  plainFingerprint(new X509Certificate(certificate).fingerprint256);

/** Node prints fingerprints as upper-case pairs with colons; the records hold them plain. */
export const plainFingerprint = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();

/** Whether a server certificate serves all these hosts, and has more than `marginDays` to live. */
export function serves(
  certificate: string,
  authority: string,
  hosts: readonly string[],
  nowMs: number,
  marginDays: number,
): boolean {
  const parsed = new X509Certificate(certificate);
  if (parsed.validToDate.getTime() < nowMs + marginDays * dayMs) return false;
  if (!parsed.verify(new X509Certificate(authority).publicKey)) return false;
  return hosts.every((host) => (isAddress(host) ? parsed.checkIP(host) : parsed.checkHost(host)) !== undefined);
}
