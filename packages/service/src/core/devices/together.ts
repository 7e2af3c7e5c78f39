import type { LogType } from '@moorage/api';
import { type LogEntry, writeLogs } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { logSubject } from './consequences.ts';
import type { DeviceDeps } from './deps.ts';
import type { DetailedDevice } from './queries.ts';

/** What a row of the log needs of a device. */
export type LoggedDevice = Pick<DetailedDevice, 'id' | 'title' | 'product_id' | 'user_id'>;

/** Who makes a change of many devices, and from where. */
export interface ManyCall {
  readonly caller: Caller;
  readonly ip: string;
}

/** What is written of a change. */
export interface Said {
  readonly type: LogType;
  /** Of several devices. */
  readonly message: (devices: string) => string;
  /** Of one; as of several without it. */
  readonly single?: string;
  /** Beside the devices. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The devices are gone then: connectors get one event. */
  readonly isEnd?: boolean;
  /** The product whose log it stands in; that of the devices without it. */
  readonly productId?: string;
}

/**
 * Writes one row for all devices of a product and an owner: who may read a row follows from these two. A row of one
 * device is that device's. Connectors get an event for each device. Spec: API-RULE-many-devices-2.
 */
export async function logTogether(
  deps: Pick<DeviceDeps, 'clock'>,
  trx: Db,
  devices: readonly LoggedDevice[],
  { type, message, single, data: more, isEnd = false, productId }: Said,
  { caller, ip }: ManyCall,
): Promise<void> {
  const groups = Map.groupBy(devices, ({ product_id, user_id }) => `${product_id} ${user_id}`);
  const entries = [...groups.values()].map((group): LogEntry => {
    // Safe: a group is not empty.
    const first = group[0] as LoggedDevice;
    const about = { ...logSubject(deps, first, caller, ip), ...(productId !== undefined && { productId }) };
    const ids = group.map(({ id }) => id);
    const data = { ...more, devices: ids, titles: group.map(({ title }) => title) };
    if (ids.length === 1) {
      if (single !== undefined) return { ...about, type, message: single, ...(more && { data: more }) };
      return { ...about, type, message: message(`Device "${first.title}"`), data };
    }
    const concerned = first.user_id === null ? {} : { concernedId: first.user_id };
    const said = message(`${ids.length} devices`);
    const events = isEnd ? {} : { deviceIds: ids };
    return { ...about, deviceId: null, ...events, ...concerned, type, message: said, data };
  });
  await writeLogs(trx, entries);
}
