import type { DeviceRecord } from '@moorage/api';

/** What a tab is given. */
export interface TabProps {
  readonly device: DeviceRecord;
}
