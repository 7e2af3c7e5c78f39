import { writeLog } from '../../engine/db/logs.ts';
import type { Deps } from '../../engine/http/types.ts';
import { activateOnContact, noteRetired, retiredCertificate } from './queries.ts';

/** Between two rows of the log about the same copied certificate, in ms: it may come every few seconds. */
const clonePauseMs = 3_600_000;

interface ContactingDevice {
  readonly id: string;
  readonly product_id: string;
  readonly title: string;
}

/** What happens when a device shows itself. */
export const deviceContacts = ({ storage, clock }: Pick<Deps, 'storage' | 'clock'>) => ({
  /** Notes the first authenticated contact of a device; of two at once, one does. Spec: API-STATE-device-enabled-active. */
  firstContact: (device: ContactingDevice, ip: string): Promise<void> =>
    storage.transaction(async (trx) => {
      if (!(await activateOnContact(trx, device.id))) return;
      await writeLog(trx, {
        type: 'device.first_contact',
        message: 'Device authenticated for the first time',
        atMs: clock.now(),
        deviceId: device.id,
        productId: device.product_id,
        ip,
      });
    }),

  /** Whether the device has had this certificate; then there is a copy of it. Spec: API-DEV-clone. */
  async wasRetired(device: ContactingDevice, certificate: string, ip: string): Promise<boolean> {
    const found = await retiredCertificate(storage.db, device.id, certificate);
    if (!found) return false;
    const atMs = clock.now();
    const sinceMs = atMs - clonePauseMs;
    if (found.seen_at !== null && found.seen_at > sinceMs) return true;
    await storage.transaction(async (trx) => {
      if (!(await noteRetired(trx, certificate, atMs, sinceMs))) return;
      await writeLog(trx, {
        type: 'device.cloned',
        level: 'warning',
        message: `A certificate that device ${device.title} no longer has was shown: somebody has a copy of it`,
        atMs,
        deviceId: device.id,
        productId: device.product_id,
        ip,
        data: { fingerprint: certificate },
      });
    });
    return true;
  },
});
