import type { IncomingHttpHeaders } from 'node:http';
import type { WebSettings } from './settings.ts';

/** An IPv4 address, or an IPv6 address in its brackets: no name that could be made to lead here. */
const isAddress = (host: string): boolean => /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/.test(host);

/** Values of `Sec-Fetch-Site` with which the user, or a page of the module itself, has asked. */
const ownSites: readonly unknown[] = [undefined, 'none', 'same-origin'];

/**
 * Why a request that came in over the loopback range is refused: a page from elsewhere, open in a browser of this
 * machine, may have sent it. `undefined` when it may pass. Programs send none of these headers. Reference: http-server 3.4.
 */
export function foreignPage(
  headers: IncomingHttpHeaders,
  { names, corsOrigin }: Pick<WebSettings, 'names' | 'corsOrigin'>,
): string | undefined {
  const { host = '', origin = originOf(headers.referer) } = headers;
  if (isProgram(headers)) return undefined;
  // Whoever owns another name can let it lead here; to the browser the page is then of the same origin.
  if (host !== '' && !isOwn(host, names)) return 'The module is called by a name that is not its own';
  if (corsOrigin === '*' || (origin !== undefined && origin === corsOrigin)) return undefined;
  const isForeign = !ownSites.includes(headers['sec-fetch-site']) || (origin !== undefined && !isOf(origin, host));
  return isForeign ? 'A page from elsewhere has asked; http.server.cors_origin can allow it' : undefined;
}

/** Every browser says from where a page opens a web socket: RFC 6455 4.1. Only programs send none of these headers. */
const isProgram = ({ origin, referer, upgrade, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  upgrade?.toLowerCase() === 'websocket' && (origin ?? referer ?? site) === undefined;

function isOwn(given: string, names: readonly string[]): boolean {
  const host = given.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  if (isAddress(host) || /(^|\.)localhost$/.test(host)) return true;
  // One of two modules with the same name has a number behind it.
  const plain = host.replace(/-\d+(\.local)?$/, '$1');
  return names.some((name) => name !== '' && [host, plain].includes(name.toLowerCase()));
}

/** Both leave a port out that goes without saying. */
const isOf = (origin: string, host: string): boolean => origin.replace(/^https?:\/\//, '') === host.toLowerCase();

/** Pictures, forms and links say only where the page is; some pages have that hidden. */
const originOf = (referer: string | undefined): string | undefined =>
  referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : undefined;
