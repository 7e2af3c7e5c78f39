import { Switch } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { ErrorBox } from '../../ui/states.tsx';

/** Lets those who own or manage the product of a device at its files; only the owner of the device has it. */
export function VendorSwitch({ device }: { readonly device: DeviceRecord }) {
  const change = useChange('devices.update', 'devices');
  if (device.role !== 'owner') return null;
  const set = (vendor_files: boolean): void =>
    change.mutate({ params: { device_id: device.id }, body: { vendor_files } });
  return (
    <>
      <Switch
        label="The vendor may use these files"
        description={`Those who own or manage ${device.product} then read, write and delete them, until you switch it off or the device changes its product or owner.`}
        checked={device.vendor_files}
        disabled={change.isPending}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {change.error && <ErrorBox error={change.error} />}
    </>
  );
}
