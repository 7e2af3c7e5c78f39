import type { LiveEventType, UpdateRecord } from '@moorage/api';
import { skipToken, useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/queries.ts';

/** How much of an update a device has been sent, in percent. */
interface Percent {
  readonly update: number | null;
  readonly percent: number | null;
}

const percentKey = (deviceId: string): readonly unknown[] => ['percent', deviceId];

/** Keeps what an event of a device tells of a download. */
export function keepPercent(deviceId: string, type: LiveEventType, data: unknown): void {
  // Safe here and below: the contract says what these events carry.
  const isOver = type === 'update' && (data as UpdateRecord).state !== 'downloading';
  if (isOver) queryClient.removeQueries({ queryKey: percentKey(deviceId) });
  if (type !== 'progress') return;
  const known = data as Percent;
  // Without a number the device was asked for something, or has looked.
  if (known.percent === null) void queryClient.invalidateQueries({ queryKey: ['devices', 'updateProgress'] });
  else queryClient.setQueryData(percentKey(deviceId), known);
}

/** What the service last told of a download of the device, since it is shown. */
export const usePercent = (deviceId: string): Percent | undefined =>
  useQuery<Percent>({ queryKey: percentKey(deviceId), queryFn: skipToken }).data;
