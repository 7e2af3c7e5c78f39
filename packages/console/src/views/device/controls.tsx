import { Stack } from '@mantine/core';
import type { ControlRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/device-tabs.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ControlCard } from './control-card.tsx';
import { useOnline } from './device-live.tsx';
import { WhenActivated } from './not-activated.tsx';
import type { TabProps } from './tab-props.ts';

function ControlCards({
  deviceId,
  controls,
}: {
  readonly deviceId: string;
  readonly controls: readonly ControlRecord[];
}) {
  const online = useOnline(deviceId);
  return (
    <Stack gap="md">
      <Muted>{online ? t.deviceIsOnMessageChannel : t.deviceIsNotOnMessage}</Muted>
      {controls.map((control) => (
        <ControlCard key={control.name} deviceId={deviceId} control={control} />
      ))}
    </Stack>
  );
}

function ControlList({ deviceId }: { readonly deviceId: string }) {
  const query = useCall('data.controls', { params: { device_id: deviceId } });
  return (
    <Loaded query={query}>
      {({ value: controls }) =>
        controls.length === 0 ? (
          <Empty title={t.deviceHasNoControls}>{t.itsCapabilitiesFileNamesNone}</Empty>
        ) : (
          <ControlCards deviceId={deviceId} controls={controls} />
        )
      }
    </Loaded>
  );
}

/** Values that both the device and its users set; editors follow the capabilities. */
export default function Controls({ device }: TabProps) {
  return (
    <WhenActivated deviceId={device.id} what={t.controls}>
      <ControlList deviceId={device.id} />
    </WhenActivated>
  );
}
