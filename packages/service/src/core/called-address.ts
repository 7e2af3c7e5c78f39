import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';

/** A host name or address with an optional port, as a Host header has it. */
const hostPattern = /^[A-Za-z0-9._~-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/**
 * Where a device finds its files: at the outside address of the settings, else under the name that it has called.
 * Refusal: INVALID_REQUEST.
 */
export function calledAddress(
  { host }: Readonly<Record<string, string | string[] | undefined>>,
  { deviceInsecure, deviceUrl }: { readonly deviceInsecure: boolean; readonly deviceUrl?: string | undefined },
): Result<string, Refusal> {
  if (deviceUrl !== undefined) return success(deviceUrl);
  if (typeof host === 'string' && hostPattern.test(host)) {
    return success(`${deviceInsecure ? 'http' : 'https'}://${host}`);
  }
  const detail = 'The header "host" is missing or not valid';
  return failure(refusal('INVALID_REQUEST', { detail }, { source: 'headers', keys: ['host'] }));
}
