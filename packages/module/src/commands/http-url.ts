/** Where a request goes. */
export interface HttpUrl {
  readonly secure: boolean;
  /** As it was typed. */
  readonly host: string;
  readonly port: number;
  /** Path and query, as they go into the request line. */
  readonly path: string;
  /** What follows the last `/` of the path, decoded; empty when there is nothing. */
  readonly fileName: string;
}

const form = /^(?:(https?):\/\/)?([^\s:/?#@[\]]+)(?::(\d{1,5}))?(\/[^?#]*)?(\?[^#]*)?(?:#.*)?$/i;

/**
 * Reads a URL of printable ASCII. Without a scheme it is HTTP; the ports are 80 and 443. `undefined` for anything
 * else, such as another scheme or a name and password. Spec: MOD-OPT-http_get-url.
 */
export function parseHttpUrl(text: string): HttpUrl | undefined {
  const match = /^[\x20-\x7e]+$/.test(text) ? form.exec(text) : null;
  if (!match) return undefined;
  const [, scheme = 'http', host = '', portText, path = '/', query = ''] = match;
  const secure = scheme.toLowerCase() === 'https';
  const port = portText === undefined ? (secure ? 443 : 80) : Number(portText);
  if (port < 1 || port > 65_535) return undefined;
  // A quoted word may hold spaces; a request line may not.
  return { secure, host, port, path: `${path}${query}`.replaceAll(' ', '%20'), fileName: lastPart(path) };
}

function lastPart(path: string): string {
  const part = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Puts a file name in place of `%s`, as it is. Spec: MOD-DL-percent-s. */
export const withFileName = (url: string, name: string): string => url.replace('%s', () => name);
