import { X509Certificate } from 'node:crypto';
import type { DeviceCredentials } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { TlsClient } from '@moorage/net';
import { type FlashError, fileFlags } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';

/** Files of the device's identity; system files, which the HTTP server never serves. */
export const identityFiles = { certificate: 'device.crt', key: 'device.key', ca: 'ca.pem' } as const;

/** The pair that is to take the place of the identity, until the service has heard that it is stored. */
export const renewedFiles = { certificate: 'renewed.crt', key: 'renewed.key' } as const;

/** Names of a certificate and its key. */
export type IdentityPair = Readonly<Record<'certificate' | 'key', string>>;

const certificateType = 0x03;

/** Largest certificate or key that is read, in bytes. */
const maxPemBytes = 64 * 1024;

export const hasIdentity = (flash: Flash, pair: IdentityPair = identityFiles): boolean =>
  flash.stat(pair.certificate) !== undefined && flash.stat(pair.key) !== undefined;

/** Reference: wire 2.1. Resolves when all is durable; a cut in between leaves the device without identity. */
export async function storeIdentity(flash: Flash, credentials: Omit<DeviceCredentials, 'uuid'>): Promise<void> {
  // The certificate goes first and comes last, so that it never stands beside a key that is not its own.
  await flash.remove(identityFiles.certificate, { force: true });
  await storePem(flash, identityFiles.ca, credentials.ca);
  await storePem(flash, identityFiles.key, credentials.key);
  await storePem(flash, identityFiles.certificate, credentials.certificate);
  // What an older identity was to become is of no use to this one.
  await dropRenewed(flash);
}

/**
 * Puts a renewed pair beside the identity, which stays as it is. The authority stays, too: it is the one by which the
 * service is known. A flash without room for it is a refusal.
 */
export async function storeRenewed(
  flash: Flash,
  { certificate, key }: Pick<DeviceCredentials, 'certificate' | 'key'>,
): Promise<Result<void, FlashError>> {
  // The certificate goes first and comes last: where both are, they belong together.
  await dropRenewed(flash);
  const stored = await tryStorePem(flash, renewedFiles.key, key);
  return stored.ok ? tryStorePem(flash, renewedFiles.certificate, certificate) : stored;
}

/**
 * The renewed pair becomes the identity. While the files of the identity are being replaced they need not belong
 * together; until that is over the renewed ones are there to be used.
 */
export async function promoteRenewed(flash: Flash): Promise<void> {
  const [certificate, key] = await Promise.all([
    readPem(flash, renewedFiles.certificate),
    readPem(flash, renewedFiles.key),
  ]);
  if (certificate === undefined || key === undefined) return;
  await storePem(flash, identityFiles.key, key);
  await storePem(flash, identityFiles.certificate, certificate);
  await dropRenewed(flash);
}

export async function dropRenewed(flash: Flash): Promise<void> {
  for (const name of [renewedFiles.certificate, renewedFiles.key]) {
    if (flash.stat(name)) await flash.remove(name, { force: true });
  }
}

/** Less than a third of the certificate's lifetime is left. One that cannot be read is left alone. Spec: MOD-ID-renew. */
export async function isRenewalDue(flash: Flash, nowMs: number): Promise<boolean> {
  const pem = await readPem(flash, identityFiles.certificate);
  const lifetime = pem === undefined ? undefined : lifetimeOf(pem);
  if (!lifetime) return false;
  const [fromMs, toMs] = lifetime;
  return nowMs > toMs - (toMs - fromMs) / 3;
}

function lifetimeOf(pem: string): readonly [fromMs: number, toMs: number] | undefined {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return [Date.parse(validFrom), Date.parse(validTo)];
  } catch {
    return undefined;
  }
}

/** Writes a PEM text to flash as a system file, in place of an older one in one step. */
export async function storePem(flash: Flash, name: string, pem: string): Promise<void> {
  const stored = await tryStorePem(flash, name, pem);
  if (!stored.ok) throw new Error(`The flash did not take ${name}: ${stored.error}`);
}

async function tryStorePem(flash: Flash, name: string, pem: string): Promise<Result<void, FlashError>> {
  const content = Buffer.from(pem);
  const writer = await flash.create({
    name,
    size: content.length,
    version: [1, 0, 0, 0],
    type: certificateType,
    flags: fileFlags.valid | fileFlags.system,
    replace: true,
  });
  if (!writer.ok) return writer;
  await writer.value.append(content);
  const stored = await writer.value.finish();
  return stored.ok ? success(undefined) : failure(stored.error);
}

/** What the module shows and trusts when it dials the service; `caName` is used when there is no service CA. */
export async function tlsIdentity(
  flash: Flash,
  caName: string,
  pair: IdentityPair = identityFiles,
): Promise<TlsClient> {
  const [cert, key, ca, otherCa] = await Promise.all(
    [pair.certificate, pair.key, identityFiles.ca, caName].map((name) => readPem(flash, name)),
  );
  return { cert: key && cert, key: cert && key, ca: ca ?? otherCa };
}

async function readPem(flash: Flash, name: string): Promise<string | undefined> {
  const content = await flash.readAll(name, maxPemBytes);
  return content.ok ? Buffer.from(content.value).toString() : undefined;
}
