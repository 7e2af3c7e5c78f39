import { decodeText } from '../interpreter/text.ts';

/** Where a request goes: an endpoint of the API, or a file. */
export type Target =
  | { readonly kind: 'command'; readonly line: string | undefined }
  | { readonly kind: 'log' }
  | { readonly kind: 'stream' }
  | { readonly kind: 'file'; readonly name: string }
  /** Percent signs that mean nothing. */
  | { readonly kind: 'malformed' };

const prefix = '/command/';

/** Paths of the API as the whitelist names them. */
export const apiPaths = { command: '/command', log: '/log', stream: '/stream' } as const;

/**
 * Reads the target of a request line. Everything behind `/command/` belongs to the command, slashes and question marks
 * too; elsewhere a query is ignored. Spec: MOD-HTTP-get-command. Reference: http-server 1.2, 1.3.
 */
export function parseTarget(url: string, apiEnabled: boolean): Target {
  const path = originForm(url);
  if (apiEnabled && path.startsWith(prefix)) {
    const line = percentDecode(path.slice(prefix.length));
    return line === undefined ? { kind: 'malformed' } : { kind: 'command', line };
  }
  const query = path.indexOf('?');
  const plain = query < 0 ? path : path.slice(0, query);
  if (apiEnabled) {
    if (plain === apiPaths.command) return { kind: 'command', line: undefined };
    if (plain === apiPaths.log) return { kind: 'log' };
    if (plain === apiPaths.stream) return { kind: 'stream' };
  }
  const name = percentDecode(plain.startsWith('/') ? plain.slice(1) : plain);
  return name === undefined ? { kind: 'malformed' } : { kind: 'file', name };
}

/** Proxies are sent whole addresses; clients may send them to any server. */
function originForm(url: string): string {
  const match = /^https?:\/\/[^/?#]*/i.exec(url);
  if (!match) return url;
  const rest = url.slice(match[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Bytes of a target are UTF-8 or stray; `undefined` when a percent sign is not followed by two hex digits. */
function percentDecode(text: string): string | undefined {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text;
  try {
    // Nearly always that is all.
    if (/^[\x20-\x7e]*$/.test(text)) return decodeURIComponent(text);
  } catch {
    // Bytes that are no UTF-8, or no percent-encoding at all.
  }
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decodeText(Buffer.from(bytes, 'latin1'));
}
