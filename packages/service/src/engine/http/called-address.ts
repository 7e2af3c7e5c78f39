import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { RequestHeaders } from './types.ts';

/** A host name or address with an optional port, as a Host header has it. */
const hostPattern = /^[A-Za-z0-9._~-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** The host that a request has called, if it names one. Over HTTP/2 the header has another name. */
export function namedHost(headers: RequestHeaders): string | undefined {
  const { host = headers[':authority'] } = headers;
  return typeof host === 'string' && hostPattern.test(host) ? host : undefined;
}

/**
 * Where a device finds its files: at the outside address of the settings, else under the name that it has called.
 * Refusal: INVALID_REQUEST.
 */
export function calledAddress(
  headers: RequestHeaders,
  { deviceInsecure, deviceUrl }: { readonly deviceInsecure: boolean; readonly deviceUrl?: string | undefined },
): Result<string, Refusal> {
  if (deviceUrl !== undefined) return success(deviceUrl);
  const host = namedHost(headers);
  if (host !== undefined) return success(`${deviceInsecure ? 'http' : 'https'}://${host}`);
  const detail = 'The header "host" is missing or not valid';
  return failure(refusal('INVALID_REQUEST', { detail }, { source: 'headers', keys: ['host'] }));
}
