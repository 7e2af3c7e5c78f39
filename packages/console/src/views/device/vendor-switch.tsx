import { Switch } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
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
        label={t.vendorMayUseTheseFiles}
        description={t.thoseWhoOwnOrManage(device.product)}
        checked={device.vendor_files}
        disabled={change.isPending}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {change.error && <ErrorBox error={change.error} />}
    </>
  );
}
