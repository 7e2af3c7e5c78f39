import type { TimeMs } from './columns.ts';

/** What a device reports of itself: the last value of each name. */
export interface AttributeTable {
  device_id: string;
  name: string;
  value: string;
  /** The value, where it is a number. */
  number: number | null;
  /** The sort key of the value, where it is a version. */
  version_key: string | null;
  /** Since when it has this value. */
  since: TimeMs;
}

/** What people and programs say of a device. */
export interface LabelTable {
  device_id: string;
  name: string;
  value: string;
}
