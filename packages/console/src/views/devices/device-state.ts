import type { DeviceRecord, DeviceState } from '@moorage/api';

/** The states of a device as every page of the console names them. */
export const deviceStateWords: Readonly<Record<DeviceState, string>> = {
  enabled: 'never seen',
  active: 'active',
  disabled: 'blocked',
};

/** Result codes of a module after which nothing is wrong: none yet, updated, nothing to update. */
const fineResults: readonly (number | null)[] = [null, 0, 1, 2];

/** How a device stands to the bundle that it was offered last. */
export function updateStateOf({ bundle_id, bundle, bundle_ok, ota_result }: DeviceRecord): string {
  if (bundle_id === null && bundle === null) return 'none offered';
  if (bundle_ok) return 'up to date';
  return fineResults.includes(ota_result) ? 'updating' : 'failed';
}

/** The four-part version in what a device reports of itself; all of it when it has another form. */
export const versionOf = (bversion: string | null): string | null =>
  bversion === null ? null : (/-(\d+\.\d+\.\d+\.\d+),/.exec(bversion)?.[1] ?? bversion);
