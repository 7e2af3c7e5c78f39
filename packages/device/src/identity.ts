import { X509Certificate } from 'node:crypto';
import type { DeviceCredentials } from '@moorage/api';
import { failure, type Result, success, type Version } from '@moorage/base';
import type { TlsClient } from '@moorage/net';
import type { DeviceFiles } from './ports.ts';

/** Files of the device's identity; secret ones. */
export const identityFiles = { certificate: 'device.crt', key: 'device.key', ca: 'ca.pem' } as const;

/** The pair that is to take the place of the identity, until the service has heard that it is stored. */
export const renewedFiles = { certificate: 'renewed.crt', key: 'renewed.key' } as const;

/** Whether a name is of the files by which the service and the device know each other: only provisioning writes them. */
export const isIdentityName = (name: string): boolean =>
  [...Object.values(identityFiles), ...Object.values(renewedFiles)].some((own) => own === name);

/** Names of a certificate and its key. */
export type IdentityPair = Readonly<Record<'certificate' | 'key', string>>;

/** Largest certificate or key that is read, in bytes. */
const maxPemBytes = 64 * 1024;

export const hasIdentity = (files: DeviceFiles, pair: IdentityPair = identityFiles): boolean =>
  files.stat(pair.certificate) !== undefined && files.stat(pair.key) !== undefined;

/** Reference: wire 2.1. Resolves when all is durable; a cut in between leaves the device without identity. */
export async function storeIdentity(files: DeviceFiles, credentials: Omit<DeviceCredentials, 'uuid'>): Promise<void> {
  // The certificate goes first and comes last, so that it never stands beside a key that is not its own.
  await files.remove(identityFiles.certificate);
  await storePem(files, identityFiles.ca, credentials.ca);
  await storePem(files, identityFiles.key, credentials.key);
  await storePem(files, identityFiles.certificate, credentials.certificate);
  // What an older identity was to become is of no use to this one.
  await dropRenewed(files);
}

/**
 * Puts a renewed pair beside the identity, which stays as it is. The authorities are replaced at once: the service sends
 * all that it may show itself by. No room for it is a refusal. Spec: MOD-ID-authority.
 */
export async function storeRenewed(
  files: DeviceFiles,
  { certificate, key, ca }: Pick<DeviceCredentials, 'certificate' | 'key' | 'ca'>,
): Promise<Result<void, string>> {
  const isNew = ca !== (await readPem(files, identityFiles.ca));
  const trusted = isNew && fingerprintsOf(ca).length > 0 ? await tryStorePem(files, identityFiles.ca, ca) : undefined;
  if (trusted && !trusted.ok) return trusted;
  // The certificate goes first and comes last: where both are, they belong together.
  await dropRenewed(files);
  const stored = await tryStorePem(files, renewedFiles.key, key);
  return stored.ok ? tryStorePem(files, renewedFiles.certificate, certificate) : stored;
}

/**
 * The renewed pair becomes the identity. While the files of the identity are being replaced they need not belong
 * together; until that is over the renewed ones are there to be used.
 */
export async function promoteRenewed(files: DeviceFiles): Promise<void> {
  const [certificate, key] = await Promise.all([
    readPem(files, renewedFiles.certificate),
    readPem(files, renewedFiles.key),
  ]);
  if (certificate === undefined || key === undefined) return;
  await storePem(files, identityFiles.key, key);
  await storePem(files, identityFiles.certificate, certificate);
  await dropRenewed(files);
}

export async function dropRenewed(files: DeviceFiles): Promise<void> {
  for (const name of [renewedFiles.certificate, renewedFiles.key]) {
    if (files.stat(name)) await files.remove(name);
  }
}

/** Fingerprints (SHA-256, lower-case hex) of the certificates in a PEM text; none when one of them cannot be read. */
export function fingerprintsOf(pem: string): string[] {
  try {
    const parts = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    return parts.map((part) => new X509Certificate(part).fingerprint256.replaceAll(':', '').toLowerCase());
  } catch {
    return [];
  }
}

/** Less than a third of the certificate's lifetime is left. One that cannot be read is left alone. Spec: MOD-ID-renew. */
export async function isRenewalDue(files: DeviceFiles, nowMs: number): Promise<boolean> {
  const lifetime = await lifetimeOf(files, identityFiles);
  if (!lifetime) return false;
  const [fromMs, toMs] = lifetime;
  return nowMs > toMs - (toMs - fromMs) / 3;
}

/** From when to when the certificate of a pair is good; `undefined` when it cannot be read. */
export async function lifetimeOf(
  files: DeviceFiles,
  { certificate }: IdentityPair,
): Promise<readonly [fromMs: number, toMs: number] | undefined> {
  const pem = await readPem(files, certificate);
  if (pem === undefined) return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return [Date.parse(validFrom), Date.parse(validTo)];
  } catch {
    return undefined;
  }
}

/**
 * Stores a PEM text as a file of the identity, in place of an older one in one step.
 *
 * @throws as a full disk does when the files have no place for it
 */
export async function storePem(files: DeviceFiles, name: string, pem: string): Promise<void> {
  const stored = await tryStorePem(files, name, pem);
  if (stored.ok) return;
  throw Object.assign(new Error(`File ${name} cannot be stored: ${stored.error}`), { code: 'ENOSPC' });
}

async function tryStorePem(files: DeviceFiles, name: string, pem: string): Promise<Result<void, string>> {
  const content = Buffer.from(pem);
  const version: Version = [1, 0, 0, 0];
  const writer = await files.create({ name, size: content.length, version, purpose: 'identity' });
  if (!writer.ok) return writer;
  await writer.value.append(content);
  const stored = await writer.value.finish();
  return stored.ok ? success(undefined) : failure(stored.error);
}

/** What the device presents and trusts when it dials the service. @param authority name of a file that is used when there is no `ca.pem` */
export async function tlsIdentity(
  files: DeviceFiles,
  authority = '',
  pair: IdentityPair = identityFiles,
): Promise<TlsClient> {
  const [cert, key, ca, otherCa] = await Promise.all(
    [pair.certificate, pair.key, identityFiles.ca, authority].map((name) => readPem(files, name)),
  );
  return { cert: key && cert, key: cert && key, ca: ca ?? otherCa };
}

async function readPem(files: DeviceFiles, name: string): Promise<string | undefined> {
  const content = await files.readAll(name, maxPemBytes);
  return content.ok ? Buffer.from(content.value).toString() : undefined;
}
