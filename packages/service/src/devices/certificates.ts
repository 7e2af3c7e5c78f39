import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { zipSync } from 'fflate';
import { type LogEntry, writeLog } from '../db/logs.ts';
import type { DeviceDeps, IssuedCertificate } from './deps.ts';
import { changeDevice, lockDevice } from './queries.ts';

/** What a device gets: its certificate and key, and the authority's certificate. */
export interface Credentials extends IssuedCertificate {
  readonly ca: string;
}

type Subject = Omit<LogEntry, 'type' | 'message'>;

/**
 * Issues a fresh certificate, which outdates the one before. Refusals: NOT_FOUND, DEVICE_DISABLED,
 * PROVISIONING_COMPLETE, WRONG_PROVISIONING_TOKEN.
 *
 * @param tokenHash the provisioning token that the device has shown, hashed; without it a person asks
 */
export async function issueCertificate(
  deps: DeviceDeps,
  device: { readonly id: string; readonly uuid: string },
  subject: Subject,
  tokenHash?: string,
): Promise<Result<Credentials, Refusal>> {
  const { storage, identity } = deps;
  // Made before the transaction, which must be short; a refused request has cost one signature.
  const issued = await identity.issueDeviceCertificate(device.uuid);
  return storage.transaction(async (trx) => {
    const locked = await lockDevice(trx, storage.expressions, device.id);
    if (!locked) return failure(refusal('NOT_FOUND', { what: 'Device' }));
    if (locked.state === 'disabled') return failure(refusal('DEVICE_DISABLED'));
    if (locked.provision_status === 'complete') return failure(refusal('PROVISIONING_COMPLETE'));
    if (tokenHash !== undefined && locked.provision_token_hash !== tokenHash) {
      return failure(refusal('WRONG_PROVISIONING_TOKEN'));
    }
    await changeDevice(trx, device.id, {
      certificate_fingerprint: issued.fingerprint,
      provision_status: 'issued',
    });
    await writeLog(trx, {
      ...subject,
      type: 'device.certificate',
      message: 'Certificate issued',
      data: { fingerprint: issued.fingerprint },
    });
    return success({ ...issued, ca: identity.ca });
  });
}

/** Device certificates as a zip (reference 3.1); `atMs` is the time that its entries carry. */
export function certificatesZip({ ca, certificate, key }: Credentials, atMs: number): Uint8Array {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return zipSync(
    { 'ca.pem': bytes(ca), 'device.crt': bytes(certificate), 'device.key': bytes(key) },
    // Entries of a zip cannot be older than 1980.
    { mtime: Math.max(atMs, Date.UTC(1980, 0, 2)) },
  );
}
