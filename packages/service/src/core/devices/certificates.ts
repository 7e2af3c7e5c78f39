import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { zipSync } from 'fflate';
import { topics } from '../../engine/bus/topics.ts';
import { type LogEntry, writeLog } from '../../engine/db/logs.ts';
import type { RowChange } from '../../engine/db/schema.ts';
import type { DeviceDeps, IssuedCertificate } from './deps.ts';
import { changeDevice, type DetailedDevice, lockDevice } from './queries.ts';

type Subject = Omit<LogEntry, 'type' | 'message'>;

/** What the transaction of a new certificate came to. */
interface Issuing {
  readonly credentials: IssuedCertificate;
  /** A certificate was outdated. */
  readonly replaced: boolean;
}

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
): Promise<Result<IssuedCertificate, Refusal>> {
  const { storage, identity } = deps;
  // Made before the transaction, which must be short; a refused request has cost one signature.
  const issued = await identity.issueDeviceCertificate(device.uuid);
  const done = await storage.transaction(async (trx): Promise<Result<Issuing, Refusal>> => {
    const locked = await lockDevice(trx, storage.expressions, device.id);
    if (!locked) return failure(refusal('NOT_FOUND', { what: 'Device' }));
    if (locked.state === 'disabled') return failure(refusal('DEVICE_DISABLED'));
    if (locked.provision_status === 'complete') return failure(refusal('PROVISIONING_COMPLETE'));
    if (tokenHash !== undefined && locked.provision_token_hash !== tokenHash) {
      return failure(refusal('WRONG_PROVISIONING_TOKEN'));
    }
    await changeDevice(trx, device.id, {
      certificate_fingerprint: issued.fingerprint,
      next_fingerprint: null,
      // It comes with the certificates of the authorities, and is of no use without.
      authority: issued.authority,
      next_authority: null,
      provision_status: 'issued',
    });
    await writeLog(trx, {
      ...subject,
      type: 'device.certificate',
      message: 'Certificate issued',
      data: { fingerprint: issued.fingerprint },
    });
    const replaced = locked.certificate_fingerprint !== null;
    return success({ credentials: issued, replaced });
  });
  if (!done.ok) return done;
  if (done.value.replaced) storage.bus.publish(topics.deviceRevoked, { deviceId: device.id, uuid: device.uuid });
  return success(done.value.credentials);
}

/**
 * Issues a device another certificate beside the one it has shown, which stays good until the new one is acknowledged;
 * one that was issued before and never acknowledged is forgotten. Refusals: NOT_FOUND, RENEWAL_OPEN.
 * Spec: API-DEV-POST-certificate, API-DEV-renewal.
 *
 * @param shown fingerprint of the certificate that the device has shown; none without TLS
 */
export async function renewCertificate(
  { storage, identity }: DeviceDeps,
  device: { readonly id: string; readonly uuid: string },
  shown: string | undefined,
  subject: Subject,
): Promise<Result<IssuedCertificate, Refusal>> {
  const issued = await identity.issueDeviceCertificate(device.uuid);
  return storage.transaction(async (trx) => {
    const locked = await lockDevice(trx, storage.expressions, device.id);
    if (!locked) return failure(refusal('NOT_FOUND', { what: 'Device' }));
    // To forget it would leave the device with nothing, should the reply be lost.
    if (shown !== undefined && shown === locked.next_fingerprint) return failure(refusal('RENEWAL_OPEN'));
    await changeDevice(trx, device.id, { next_fingerprint: issued.fingerprint, next_authority: issued.authority });
    const data = { fingerprint: issued.fingerprint };
    await writeLog(trx, { ...subject, type: 'device.certificate', message: 'New certificate issued', data });
    return success(issued);
  });
}

/** What an acknowledgement changes: a renewed certificate takes the place of the one before. */
export interface Acknowledgement {
  readonly change: RowChange<'devices'>;
  readonly message: string;
  /** The certificate that is over. */
  readonly retired: string | null;
}

/**
 * What it means that a device has stored the certificate which it shows; nothing when that is known already.
 * Spec: API-DEV-PUT-provision, API-DEV-renewal.
 *
 * @param shown its fingerprint; without TLS it is taken for the newest
 * @param known fingerprints of the authorities that the device says it knows: a client of before keeps the one it has
 */
export function acknowledgementOf(
  device: Pick<DetailedDevice, 'certificate_fingerprint' | 'next_fingerprint' | 'next_authority' | 'provision_status'>,
  shown: string | undefined,
  known: readonly string[],
  insecure: boolean,
): Acknowledgement | undefined {
  const { next_fingerprint: next, next_authority: authority, certificate_fingerprint: before } = device;
  // Without TLS the token goes on to identify the device, so there it stays.
  const complete = { provision_status: 'complete', ...(!insecure && { provision_token_hash: null }) } as const;
  if (next !== null && (shown ?? next) === next) {
    const change = {
      ...complete,
      certificate_fingerprint: next,
      next_fingerprint: null,
      next_authority: null,
      // Spec: API-RULE-authority-3.
      ...(authority !== null && known.includes(authority) && { authority }),
    };
    return { change, message: 'Certificate renewed', retired: before };
  }
  if (device.provision_status === 'complete') return undefined;
  return { change: complete, message: 'Certificate acknowledged by the device', retired: null };
}

/** Device certificates as a zip (Reference: records 1.1); `atMs` is the time that its entries carry. */
export function certificatesZip({ ca, certificate, key }: IssuedCertificate, atMs: number): Uint8Array {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return zipSync(
    { 'ca.pem': bytes(ca), 'device.crt': bytes(certificate), 'device.key': bytes(key) },
    // Entries of a zip cannot be older than 1980.
    { mtime: Math.max(atMs, Date.UTC(1980, 0, 2)) },
  );
}
