import { writeLog } from '../db/logs.ts';
import type { Deps } from '../http/types.ts';
import { activateOnContact } from './queries.ts';

/** Notes the first authenticated contact of a device; of two at once, one does. Spec: API-STATE-device-enabled-active. */
export const deviceContacts = ({ storage, clock }: Pick<Deps, 'storage' | 'clock'>) => ({
  firstContact: (device: { readonly id: string; readonly product_id: string }, ip: string): Promise<void> =>
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
});
