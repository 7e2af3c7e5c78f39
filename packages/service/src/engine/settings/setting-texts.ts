import { type ExtensionName, extensionNames } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import ipaddr from 'ipaddr.js';
import { withoutPassword } from '../stores/addresses.ts';

export const anyText = (text: string): Result<string, string> =>
  text === '' ? failure('must not be empty') : success(text);

/** Whether an address that is listened on can be reached from this machine alone. Not a name that merely begins like one. */
export const isLoopbackHost = (host: string): boolean => /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/.test(host);

export const portNumber = (text: string): Result<number, string> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? success(Number(text))
    : failure(`must be a port from 0 to 65535, not "${text}"`);

export const count =
  (unit: string, most: number) =>
  (text: string): Result<number, string> =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= most
      ? success(Number(text))
      : failure(`must be a number of ${unit} from 1 to ${most}, not "${text}"`);

/** As `count`, or 0. */
export const countOrAny = (unit: string, most: number) => (text: string) =>
  text === '0' ? success(0) : count(unit, most)(text);

/** A number of things that there may be, 0 for any number. */
export const quota =
  (unit: string) =>
  (text: string): Result<number, string> =>
    /^\d{1,9}$/.test(text)
      ? success(Number(text))
      : failure(`must be a number of ${unit} up to 999999999, or 0 for any number, not "${text}"`);

export const matching = (pattern: RegExp, forms: string) => (text: string) =>
  pattern.test(text) ? success(text) : failure(`must be ${forms}, not "${withoutPassword(text)}"`);

/** One of some words; `demand` begins the sentence of the error. */
export const oneOf =
  <Word extends string>(demand: string, words: readonly Word[], separator = ', ') =>
  (text: string): Result<Word, string> => {
    const found = words.find((word) => word === text);
    return found === undefined ? failure(`${demand} ${words.join(separator)}, not "${text}"`) : success(found);
  };

/** What stands between commas. */
const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `all`, `none`, or names of extensions between commas. */
export const extensionList = (text: string): Result<'all' | readonly ExtensionName[], string> => {
  if (text === 'all') return success(text);
  if (text === 'none') return success([]);
  const parts = partsOf(text);
  const wrong = parts.find((part) => !extensionNames.some((name) => name === part));
  return parts.length === 0 || wrong !== undefined
    ? failure(`must be all, none, or some of ${extensionNames.join(', ')}, not "${wrong ?? text}"`)
    : success(extensionNames.filter((name) => parts.includes(name)));
};

/** CIDR texts between commas: an IPv4 or IPv6 address, and how many of its bits count. */
export const networks = (text: string): Result<readonly string[], string> => {
  const parts = partsOf(text);
  const wrong = parts.find((part) => !ipaddr.isValidCIDR(part));
  return wrong === undefined ? success(parts) : failure(`must be networks such as 10.0.0.0/8, not "${wrong}"`);
};

export const password = (text: string): Result<string, string> =>
  text.length >= 12 ? success(text) : failure('must have at least 12 characters');

/** A text of at most so many characters. */
export const atMost = (length: number) => (text: string) =>
  text.length > length ? failure(`must not have more than ${length} characters`) : anyText(text);

/** An address of a provider of single sign-on: in the clear on this machine alone. */
export const issuer = (text: string): Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isSafe && isPlain
    ? success(text)
    : failure(`must be an https address, or an http address of this machine, not "${text}"`);
};

/** An address of the web at which people and programs reach a service: scheme, host and port, no more. */
export const webOrigin = (text: string): Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Written out again it has no path, no query and no password.
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? success(url.origin) : failure(`must be an http or https address without a path, not "${text}"`);
};

/** Where a listener is reached: a name or an address, and the port where it is not the listener's own. */
export interface HostAndPort {
  /** In lower case; an IPv6 address has no brackets, and no zone. */
  readonly host: string;
  readonly port: number | undefined;
}

/** A name as a URL has it, with its port where it has one. */
export const addressText = ({ host, port }: HostAndPort): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;

/** Where to listen: a port, and an address where it is not that of the others. */
export const listenAddress = (text: string): Result<ListenAddress, string> => {
  const [, bracketed, plain, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  return digits === undefined || Number(digits) > 65_535
    ? failure(`must be a port, or an address and a port such as 127.0.0.1:9090, not "${text}"`)
    : success({ host: bracketed ?? plain, port: Number(digits) });
};

/** Where to listen. */
export interface ListenAddress {
  /** As that of the other listeners without it. */
  readonly host: string | undefined;
  /** 0 picks a free one. */
  readonly port: number;
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** A name in the form that certificates have, without brackets; `undefined` when it is neither name nor address. */
function hostOf(text: string): string | undefined {
  if (ipaddr.isValid(text))
    return ipaddr.IPv4.isIPv4(text) && !ipaddr.IPv4.isValidFourPartDecimal(text) ? undefined : withoutZone(text);
  if (/[/?#@:\\]/.test(text)) return undefined;
  const ascii = URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : '';
  return hostName.test(ascii) && !ipaddr.isValid(ascii) ? ascii : undefined;
}

/** An address without the interface of this machine that a link-local one may name: no other machine knows that. */
export const withoutZone = (host: string): string => host.replace(/%.*/, '');

/** Names and addresses between commas, each with a port or without: `hub.example`, `192.0.2.7:443`, `[2001:db8::7]:443`. */
export const hostList = (text: string): Result<readonly HostAndPort[], string> => {
  const parts = partsOf(text.toLowerCase());
  const found: HostAndPort[] = [];
  for (const part of parts) {
    const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(part) ?? [];
    const host = hostOf(bracketed ?? plain ?? part);
    const port = digits === undefined ? undefined : Number(digits);
    if (host === undefined || port === 0 || (port ?? 0) > 65_535)
      return failure(`must be names or addresses such as hub.example or 192.0.2.7:443, not "${part}"`);
    found.push({ host, port });
  }
  return success(found);
};
