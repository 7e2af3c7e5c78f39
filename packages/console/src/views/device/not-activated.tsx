import type { ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';

/** Why there is nothing of the data cloud, and what to do at the module. */
export function NotActivated({ what }: { readonly what: string }) {
  return (
    <Empty title={t.deviceHasNoYet(what)}>
      {t.itIsNotActivatedAt}
      <ModuleLine line="cloud_activate <user name> <password> <capabilities file>" />
    </Empty>
  );
}

interface WhenActivatedProps {
  readonly deviceId: string;
  /** What it would have: "streams". */
  readonly what: string;
  readonly children: ReactNode;
}

/** What asks for data of a device: shown only when it is at the data cloud, for any other the service refuses. */
export function WhenActivated({ deviceId, what, children }: WhenActivatedProps) {
  const query = useCall('data.capabilities', { params: { device_id: deviceId } });
  return <Loaded query={query}>{({ value }) => (value.activated ? children : <NotActivated what={what} />)}</Loaded>;
}
