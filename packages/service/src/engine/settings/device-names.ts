import type { Settings } from './config.ts';
import type { HostAndPort } from './setting-texts.ts';

/** Where devices reach the device listener beside this machine's own names: as configured, or at the public address. */
export function deviceAddresses({
  deviceNames,
  publicUrl,
}: Pick<Settings, 'deviceNames' | 'publicUrl'>): readonly HostAndPort[] {
  if (deviceNames.length > 0 || publicUrl === undefined) return deviceNames;
  return [{ host: new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''), port: undefined }];
}

/** A name as a URL has it, with its port where it has one. */
export const addressText = ({ host, port }: HostAndPort): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
