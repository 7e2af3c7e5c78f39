import { randomBytes } from 'node:crypto';
import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { LogEntry } from '../../engine/db/logs.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { changeDevice, type DetailedDevice, findDevice, retireCertificate } from './queries.ts';
import { softwarePlatform } from './rules.ts';

/** What a new device is called by. */
export interface Identity {
  readonly uuid: string;
  readonly mac: string | null;
  readonly btAddress: string | null;
}

/** A device whose uuid was taken from it, and the uuid that it had. */
export interface Displaced {
  readonly id: string;
  readonly uuid: string;
}

type Subject = Pick<LogEntry, 'atMs' | 'userId' | 'client' | 'ip'>;

const taken = (what: string, value: string) => failure(refusal('DUPLICATE', { what, value }));

/** Whether a device has its uuid and addresses from its owner, who may have typed those of somebody else's hardware. */
const isSoftware = ({ platform }: DetailedDevice): boolean => platform === softwarePlatform;

/** Gives a device another uuid: its certificates are of the former one, so it has to be provisioned again. */
async function displace(trx: Db, device: DetailedDevice, subject: Subject): Promise<Displaced> {
  const { id, uuid, part_id } = device;
  const digits = `${part_id ?? ''}${randomBytes(20).toString('hex')}`.slice(0, 40);
  await changeDevice(trx, id, {
    uuid: digits,
    provision_token_hash: null,
    provision_status: 'pending',
    certificate_fingerprint: null,
    next_fingerprint: null,
  });
  for (const over of [device.certificate_fingerprint, device.next_fingerprint].filter((one) => one !== null)) {
    await retireCertificate(trx, id, over, subject.atMs);
  }
  await noteLoss(trx, device, subject, `Uuid ${uuid} belongs to module hardware; the device has ${digits} now`);
  return { id, uuid };
}

const noteLoss = (trx: Db, { id, product_id }: DetailedDevice, subject: Subject, message: string) =>
  writeLog(trx, { ...subject, type: 'device.update', level: 'warning', message, deviceId: id, productId: product_id });

async function clearAddress(trx: Db, address: string, subject: Subject | undefined): Promise<Refusal | undefined> {
  const holder = await findDevice(trx, { by: 'address', value: address });
  if (!holder) return undefined;
  const isClaimed = isSoftware(holder) || (holder.mac === address && holder.mac_reported === 1);
  if (!subject || !isClaimed) return refusal('DUPLICATE', { what: 'Address', value: address });
  const change = holder.mac === address ? ({ mac: null, mac_reported: 0 } as const) : { bt_addr: null };
  await changeDevice(trx, holder.id, change);
  await noteLoss(trx, holder, subject, `Address ${address} belongs to module hardware and is taken from the device`);
  return clearAddress(trx, address, subject);
}

/**
 * Makes room for a new device. What module hardware is called by is known to the factory: a software device that has
 * the same uuid or address, and a device that has merely reported the address, gives way to it, which its log says.
 * Refusal: DUPLICATE.
 *
 * @param factory who provisions module hardware; absent for software devices, to which nothing gives way
 * @returns the devices that have another uuid now: their connections have to end
 */
export async function clearIdentity(
  trx: Db,
  { uuid, mac, btAddress }: Identity,
  factory: Subject | undefined,
): Promise<Result<readonly Displaced[], Refusal>> {
  const holder = await findDevice(trx, { by: 'uuid', value: uuid });
  if (holder && !(factory && isSoftware(holder))) return taken('Device', uuid);
  for (const address of [mac, btAddress].filter((one) => one !== null)) {
    const refused = await clearAddress(trx, address, factory);
    if (refused) return failure(refused);
  }
  return success(holder && factory ? [await displace(trx, holder, factory)] : []);
}
