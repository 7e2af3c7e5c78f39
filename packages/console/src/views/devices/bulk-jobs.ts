import { type DeviceListQuery, type DeviceRecord, type ManyResult, manyDevicesLimit, type Reply } from '@moorage/api';
import { call } from '../../api/client.ts';
import { queryClient, renew } from '../../api/queries.ts';
import { nouns } from '../../texts/nouns.ts';
import { inBatches, type JobFailure } from '../../ui/batches.ts';
import type { Job } from '../../ui/jobs.tsx';

/** Devices that something is to be done to: the marked ones, or all that fit the filters. */
export interface Target {
  readonly count: number;
  readonly ids: readonly string[] | undefined;
  readonly query: DeviceListQuery;
}

/** A device of a target. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** As many as one page of the service may have. */
const pageRows = 500;

/** What devices are called that some list has shown, by their ids. */
function shownNames(): ReadonlyMap<string, string> {
  const lists = queryClient.getQueriesData<Reply<DeviceRecord[]>>({ queryKey: ['devices', 'list'] });
  return new Map(lists.flatMap(([, data]) => data?.value ?? []).map((device) => [device.id, nameOf(device)]));
}

const nameOf = ({ title, uuid }: DeviceRecord): string => title || uuid;

/**
 * Every device of a target, found before any of them is changed: afterwards some might not fit the filters any more.
 *
 * @param limit with so many of them it is enough
 */
export async function devicesOf(
  target: Target,
  signal: AbortSignal,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly Named[]> {
  if (target.ids) {
    const names = shownNames();
    return target.ids.map((id) => ({ id, name: names.get(id) ?? id }));
  }
  const found: Named[] = [];
  for (;;) {
    const query: DeviceListQuery = { ...target.query, sort: 'uuid', limit: pageRows, offset: found.length };
    const { value, total = 0 } = await call('devices.list', { query }, signal);
    found.push(...value.map((device) => ({ id: device.id, name: nameOf(device) })));
    if (value.length === 0 || found.length >= Math.min(total, limit)) return found;
  }
}

/** Devices that one command runs on at once. */
export const devicesPerCommand = 100;

/** Does one thing to some devices, and says to which it could not. */
export type Work = (device_ids: string[]) => Promise<Pick<Reply<ManyResult>, 'value'>>;

/** The job of doing something to every device of a target. */
export const jobFor = (target: Target, title: string, work: Work, onEnd?: () => void): Job => ({
  title,
  noun: nouns.device,
  async run(progress, signal) {
    const devices = await devicesOf(target, signal);
    const names = new Map(devices.map(({ id, name }) => [id, name]));
    const change = async (some: readonly Named[]): Promise<readonly JobFailure[]> => {
      const { value } = await work(some.map(({ id }) => id));
      return value.refused.map(({ device_id, message }) => ({ name: names.get(device_id) ?? device_id, message }));
    };
    await inBatches(devices, manyDevicesLimit, change, progress, signal);
  },
  onEnd() {
    void renew('devices', 'fleet', 'bundles', 'attributes', 'segments');
    onEnd?.();
  },
});
