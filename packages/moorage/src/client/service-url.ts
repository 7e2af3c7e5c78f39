import { UserError } from '../command-line/define.ts';

/** `https://HOST:PORT`, or `http://` for a service whose device listener is insecure. */
export function parseServiceUrl(text: string): { host: string; port: number; insecure: boolean } {
  // It may be a password: it is not repeated.
  if (text.includes('@')) throw new UserError('Option --service has an "@" in it, not https://HOST:PORT', 2);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UserError(`Option --service is "${text}", not https://HOST:PORT`, 2);
  }
  const insecure = url.protocol === 'http:';
  return { host: url.hostname, port: Number(url.port || (insecure ? 80 : 443)), insecure };
}
