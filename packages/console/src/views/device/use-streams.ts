import { keyOf, queryClient, useCall } from '../../api/queries.ts';
import { useSamples } from './device-live.tsx';
import { withLast } from './samples.ts';

/** The streams of a device with their last samples, which follow what arrives. */
export function useStreams(deviceId: string) {
  const input = { params: { device_id: deviceId } };
  const query = useCall('data.streams', input);
  const connection = useSamples((samples) =>
    queryClient.setQueryData<typeof query.data>(
      keyOf('data.streams', input),
      (known) => known && { ...known, value: withLast(known.value, samples) },
    ),
  );
  return { query, connection };
}
