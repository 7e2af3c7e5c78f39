import { namedHost } from '../../engine/http/called-address.ts';
import type { RequestOrigin } from '../../engine/http/types.ts';

/** Where passkeys are for: the address of the pages, and the name of its host, which browsers know them by. */
export interface PasskeyAddress {
  readonly origin: string;
  readonly rpId: string;
}

/** The address of the pages: the one of the settings, else the one that was called. */
export const pagesAt = (
  { publicUrl }: { readonly publicUrl: string | undefined },
  { headers, isEncrypted }: RequestOrigin,
) => {
  const called = `${isEncrypted ? 'https' : 'http'}://${namedHost(headers) ?? ''}`;
  return publicUrl ?? (URL.canParse(called) ? new URL(called).origin : called);
};

/** What passkeys are for at an address; undefined where browsers make none: an IP address, or one without TLS. */
export function passkeyAddress(origin: string): PasskeyAddress | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, protocol } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  // A parsed address has dots alone in one of IPv4, however it was written, and brackets around one of IPv6.
  const isName = !/^\[|^\d+(\.\d+){3}$/.test(hostname);
  return isName && (isLocal || protocol === 'https:') ? { origin, rpId: hostname } : undefined;
}
