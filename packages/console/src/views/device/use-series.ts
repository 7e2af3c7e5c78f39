import type { SampleRecord } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { after, nowMs } from '../../browser/time.ts';
import { useSamples } from './device-live.tsx';
import { type LiveSample, pointsLimit, type Range, withSamples } from './samples.ts';

/** Samples that come together are drawn together, in ms. */
const gatherMs = 100;

/** The samples of a stream in a range that ends now; those that arrive are put in. */
export function useSeries(deviceId: string, name: string, range: Range) {
  const queryKey = ['data', 'samples', { deviceId, name, range: range.key }];
  const waiting = useRef<LiveSample[]>([]);
  const cancel = useRef<() => void>(undefined);
  const query = useQuery({
    queryKey,
    async queryFn({ signal }): Promise<readonly SampleRecord[]> {
      const { intervalMs: interval, spanMs } = range;
      const { value } = await call(
        'data.samples',
        {
          params: { device_id: deviceId, name },
          query: { from: nowMs() - spanMs, limit: pointsLimit, ...(interval !== undefined && { interval }) },
        },
        signal,
      );
      return value;
    },
    // What arrives keeps it right only while it is shown.
    staleTime: 0,
  });
  const put = (): void => {
    cancel.current = undefined;
    const fresh = waiting.current;
    waiting.current = [];
    queryClient.setQueryData<readonly SampleRecord[]>(
      queryKey,
      (known) => known && withSamples(known, fresh, range, nowMs()),
    );
  };
  useSamples((samples) => {
    waiting.current.push(...samples.filter((sample) => sample.name === name));
    if (waiting.current.length > 0) cancel.current ??= after(gatherMs, put);
  });
  useEffect(
    () => () => {
      cancel.current?.();
      cancel.current = undefined;
      waiting.current = [];
    },
    [],
  );
  return query;
}
