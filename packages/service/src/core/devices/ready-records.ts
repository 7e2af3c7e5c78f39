import type { Refusal } from '@moorage/api';
import { type Result, success } from '@moorage/base';
import { RecordCache } from '../../engine/db/record-cache.ts';
import type { Caller, Deps } from '../../engine/http/types.ts';
import { allowed } from './lookup.ts';
import { sharedRecords } from './queries.ts';
import { deviceRecord } from './records.ts';
import { parseDeviceKey } from './rules.ts';

/** Records that lie ready; about 1 KB each. */
const readyLimit = 100_000;

/** Records of devices as JSON, each as its caller may see it. */
export interface ReadyRecords {
  /**
   * The record of the device with this id, uuid or address, at once where nothing of it has changed since the caller
   * last asked. Refusals: NOT_FOUND, FORBIDDEN.
   */
  find(caller: Caller, name: string): Result<string, Refusal> | Promise<Result<string, Refusal>>;
}

/** Finds records, and keeps them ready to send. */
export function readyRecords({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): ReadyRecords {
  const findRow = sharedRecords(storage.db);
  const ready = new RecordCache<Result<string, Refusal>>(storage.changes, readyLimit);

  async function read(caller: Caller, name: string, cacheKey: string): Promise<Result<string, Refusal>> {
    const keep = ready.beginRead();
    const key = parseDeviceKey(name);
    const row = key && (await findRow(key, caller.userId, clock.now()));
    const device = allowed(key, row, caller, 'device.read');
    if (!device.ok) return device;
    const json = success(JSON.stringify(await deviceRecord(storage.db, device.value, caller)));
    keep(cacheKey, json, device.value.id);
    return json;
  }

  return {
    find(caller, name) {
      // What a caller may see depends on the caller.
      const cacheKey = `${caller.userId} ${name}`;
      return ready.get(cacheKey) ?? read(caller, name, cacheKey);
    },
  };
}
