import type { DeviceRecord, DeviceState, StandingState } from '@moorage/api';

/** The states of a device as every page of the console names them. */
export const deviceStateWords: Readonly<Record<DeviceState, string>> = {
  enabled: 'never seen',
  active: 'active',
  disabled: 'blocked',
};

/** What a list says of a device at a glance: whether it is there, or why it cannot be. */
export const connectionWord = ({ state, online }: Pick<DeviceRecord, 'state' | 'online'>): string => {
  if (state !== 'active') return deviceStateWords[state];
  return online ? 'online' : 'offline';
};

/** How a device stands to what it should run, as every page of the console names it. */
export const standingWords: Readonly<Record<StandingState, string>> = {
  up_to_date: 'up to date',
  waiting: 'update waiting',
  updating: 'updating',
  failed: 'update failed',
  unknown: 'unknown',
};

/** The four-part version in what a device reports of itself; all of it when it has another form. */
export const versionOf = (bversion: string | null): string | null =>
  bversion === null ? null : (/-(\d+\.\d+\.\d+\.\d+),/.exec(bversion)?.[1] ?? bversion);
