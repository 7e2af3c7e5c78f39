import { failure, type Result, success } from '@moorage/base';

/** Where a module is, as a user writes it. */
export type Address =
  | { readonly kind: 'http' | 'https' | 'tcp' | 'rfc2217'; readonly host: string; readonly port: number }
  | { readonly kind: 'device'; readonly path: string };

const defaultPorts = { http: 80, https: 443 } as const;

/**
 * Reads `http[s]://HOST[:PORT]`, `tcp:HOST:PORT`, `rfc2217:HOST:PORT`, `pty:PATH`, or the path of a device file. Names and
 * passwords do not belong into an address: it is printed. The error is one sentence.
 */
export function parseAddress(text: string): Result<Address, string> {
  const web = /^(https?):\/\/(?:\[([^[\]]+)\]|([^/:@]+))(?::(\d{1,5}))?\/?$/.exec(text);
  const kind = web?.[1] === 'https' ? 'https' : 'http';
  if (web) return placed(text, kind, web[2] ?? web[3] ?? '', Number(web[4] ?? defaultPorts[kind]));
  const line = /^(tcp|rfc2217):(?:\[([^[\]]+)\]|([^/:@]+)):(\d{1,5})$/.exec(text);
  if (line) return placed(text, line[1] === 'tcp' ? 'tcp' : 'rfc2217', line[2] ?? line[3] ?? '', Number(line[4]));
  const path = /^(?:pty:(.+)|(\/.+|\.{1,2}\/.+))$/.exec(text);
  return path ? success({ kind: 'device', path: path[1] ?? path[2] ?? '' }) : failure(wrong(text));
}

const wrong = (text: string): string =>
  `Address "${text}" is not one of http://HOST:PORT, https://HOST:PORT, tcp:HOST:PORT, rfc2217:HOST:PORT, pty:PATH, /dev/…`;

const placed = (
  text: string,
  kind: 'http' | 'https' | 'tcp' | 'rfc2217',
  host: string,
  port: number,
): Result<Address, string> => (port >= 1 && port <= 65_535 ? success({ kind, host, port }) : failure(wrong(text)));
