import type { DeviceCredentials } from '@moorage/api';
import { fileFlags } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import type { TlsClient } from '../net/ports.ts';

/** Files of the device's identity; system files, which the HTTP server never serves. */
export const identityFiles = { certificate: 'device.crt', key: 'device.key', ca: 'ca.pem' } as const;

const certificateType = 0x03;

/** Largest certificate or key that is read, in bytes. */
const maxPemBytes = 64 * 1024;

export const hasIdentity = (flash: Flash): boolean =>
  flash.stat(identityFiles.certificate) !== undefined && flash.stat(identityFiles.key) !== undefined;

/** Spec: reference service 6.4. Resolves when all is durable; a cut in between leaves the device without identity. */
export async function storeIdentity(flash: Flash, credentials: Omit<DeviceCredentials, 'uuid'>): Promise<void> {
  // The certificate goes first and comes last, so that it never stands beside a key that is not its own.
  await flash.remove(identityFiles.certificate, { force: true });
  await storePem(flash, identityFiles.ca, credentials.ca);
  await storePem(flash, identityFiles.key, credentials.key);
  await storePem(flash, identityFiles.certificate, credentials.certificate);
}

/** Writes a PEM text to flash as a system file, in place of an older one in one step. */
export async function storePem(flash: Flash, name: string, pem: string): Promise<void> {
  const content = Buffer.from(pem);
  const writer = await flash.create({
    name,
    size: content.length,
    version: [1, 0, 0, 0],
    type: certificateType,
    flags: fileFlags.valid | fileFlags.system,
    replace: true,
  });
  if (!writer.ok) throw new Error(`The flash has no room for ${name}: ${writer.error}`);
  await writer.value.append(content);
  const stored = await writer.value.finish();
  if (!stored.ok) throw new Error(`The flash did not take ${name}: ${stored.error}`);
}

/** What the module shows and trusts when it dials the service; `caName` is used when there is no service CA. */
export async function tlsIdentity(flash: Flash, caName: string): Promise<TlsClient> {
  const [cert, key, ca, otherCa] = await Promise.all(
    [identityFiles.certificate, identityFiles.key, identityFiles.ca, caName].map((name) => readPem(flash, name)),
  );
  return { cert: key && cert, key: cert && key, ca: ca ?? otherCa };
}

async function readPem(flash: Flash, name: string): Promise<string | undefined> {
  const content = await flash.readAll(name, maxPemBytes);
  return content.ok ? Buffer.from(content.value).toString() : undefined;
}
