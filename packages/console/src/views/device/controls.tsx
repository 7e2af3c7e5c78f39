import { Stack, Text } from '@mantine/core';
import { ApiError } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { ControlCard } from './control-card.tsx';
import { useOnline } from './device-live.tsx';
import { NotActivated } from './not-activated.tsx';
import type { TabProps } from './tabs.ts';

/** Values that both the device and its users set; editors follow the capabilities. */
export default function Controls({ device }: TabProps) {
  const online = useOnline(device.id);
  const query = useCall('data.controls', { params: { device_id: device.id } });
  const controls = query.data?.value;
  if (controls?.length === 0) {
    return <Empty title="The device has no controls">Its capabilities file names none.</Empty>;
  }
  if (controls) {
    return (
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {online
            ? 'The device is on the message channel and is told a new value at once; it counts as delivered when the device has fetched it.'
            : 'The device is not on the message channel: it fetches new values with its next synchronisation.'}
        </Text>
        {controls.map((control) => (
          <ControlCard key={control.name} deviceId={device.id} control={control} />
        ))}
      </Stack>
    );
  }
  const { error } = query;
  if (error instanceof ApiError && error.code === 'NOT_ACTIVATED') return <NotActivated what="controls" />;
  return error ? <ErrorBox error={error} onRetry={() => void query.refetch()} /> : <Loading />;
}
