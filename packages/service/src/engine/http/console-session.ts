import { consoleHeader } from '@moorage/api';
import type { RequestHeaders, RequestOrigin } from './types.ts';

const cookieName = 'moorage_session';
/** How long a session lasts, for the browser and for the service, in seconds: 30 days. */
export const sessionMaxAgeS = 30 * 24 * 60 * 60;
/** How long it lasts without a request, in seconds: 7 days. */
export const sessionIdleS = 7 * 24 * 60 * 60;

const attributes = ({ headers, isEncrypted }: RequestOrigin): string => {
  // Over TLS the browser must not send the cookie in the clear. A client that lies about it harms itself alone.
  const isSecure = isEncrypted || headers['x-forwarded-proto'] === 'https';
  return `Path=/api; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
};

/** The header field that gives a browser a cookie, which only pages of the service itself send back. */
export const browserCookie = (
  name: string,
  value: string,
  maxAgeS: number,
  origin: RequestOrigin,
): Record<string, string> => ({
  'set-cookie': `${name}=${value}; Max-Age=${maxAgeS}; ${attributes(origin)}`,
});

/** The header field that gives a browser its session. Spec: API-RULE-session-1. */
export const sessionCookie = (token: string, origin: RequestOrigin): Record<string, string> =>
  browserCookie(cookieName, token, sessionMaxAgeS, origin);

/** The header field that takes it away. */
export const goneCookie = (origin: RequestOrigin): Record<string, string> => ({
  'set-cookie': `${cookieName}=; Max-Age=0; ${attributes(origin)}`,
});

/** The value of a cookie that a browser sends along. */
export function cookieValue({ cookie }: RequestHeaders, wanted: string): string | undefined {
  if (typeof cookie !== 'string') return undefined;
  for (const part of cookie.split(';')) {
    const [name = '', value] = part.trim().split('=', 2);
    if (name === wanted) return value === '' ? undefined : value;
  }
  return undefined;
}

/** The token of the session that a browser sends along. */
export const sessionToken = (headers: RequestHeaders): string | undefined => cookieValue(headers, cookieName);

/** What our pages ask for with the cookie: data, pictures, downloads. Files of users are no scripts of ours. */
const destinations: readonly unknown[] = ['empty', 'image', 'document', undefined];

/**
 * Whether the cookie of a request counts. Servers on other ports of a host are the same site to a browser: it sends the
 * cookie along to what their pages name, be it in `<img src>`; but it says so. Spec: API-RULE-session-2.
 */
export function mayUseCookie(headers: RequestHeaders): boolean {
  // `none` is the address bar.
  const isOwn = ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);
  return isOwn && destinations.includes(headers['sec-fetch-dest']);
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/**
 * Whether a request comes from a page of the service itself. No other page can send the header: a browser would ask
 * first, and the answer is never yes. The request itself says where it came from. Spec: API-RULE-session-2.
 */
export function isFromConsole(headers: RequestHeaders): boolean {
  if (headers[consoleHeader.name] !== consoleHeader.value) return false;
  // Over HTTP/2 the host has another name.
  const { origin, host = headers[':authority'] } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return typeof origin !== 'string' || hostOf(origin) === host;
}
