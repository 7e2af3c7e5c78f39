import type { DeviceHealth, StandingState } from '@moorage/api';

/** How a device is heard from, as every page of the console names it. */
export const healthWords: Readonly<Record<DeviceHealth, string>> = {
  connected: 'connected',
  on_time: 'on time',
  late: 'late',
  silent: 'silent',
  never: 'never seen',
  blocked: 'blocked',
};

/** How a device stands to what it should run, as every page of the console names it. */
export const standingWords: Readonly<Record<StandingState, string>> = {
  up_to_date: 'up to date',
  waiting: 'update waiting',
  updating: 'updating',
  failed: 'update failed',
  unknown: 'unknown',
};
