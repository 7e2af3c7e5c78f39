import { failure, type Result, success } from '@moorage/base';

/** An address without its password, or what stands for one: the whole login of NATS, and a parameter of PostgreSQL. */
export const withoutPassword = (url: string): string =>
  url
    .replace(/^(nats|tls):\/\/.*@/s, '$1://***@')
    .replace(/^(\w+:\/\/[^:@/]*):.*@/s, '$1:***@')
    .replace(/([?&]password=)[^&]*/gi, '$1***');

/** One host of a list, in the form `HOST[:PORT]`, IPv6 in brackets. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/i;

const isHost = (text: string): boolean => {
  const [, host, port] = hostPattern.exec(text) ?? [];
  return host !== undefined && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
};

/** Whether every `%` begins an encoded byte, and those are UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const loginRule = 'user and password have characters such as % @ : / # as %25 %40 %3A %2F %23';

/** Where NATS servers are: `nats://[USER:PASSWORD@]HOST[:PORT][,…][/PREFIX]`, `tls://…` for TLS. */
export function natsAddress(text: string): Result<string, string> {
  const [, login = '', hosts] = /^(?:nats|tls):\/\/(?:([^/\s]*)@)?([^@/\s]+)(?:\/[A-Za-z0-9_-]+)?$/.exec(text) ?? [];
  if (!hosts?.split(',').every(isHost))
    return failure(`must be nats://HOST[:PORT][,…][/PREFIX], not "${withoutPassword(text)}"`);
  return /[@,]/.test(login) || !isDecodable(login) ? failure(`is wrong: ${loginRule}`) : success(text);
}

/** `http://…` or `https://…`, without a login and a query. */
export const httpAddress = (text: string): Result<string, string> =>
  /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)
    ? success(text)
    : failure(`must be an http or https address, not "${withoutPassword(text)}"`);

/** The servers of one database: the standby of a primary is named beside it. */
export interface PostgresAddress {
  /** One for each host, as the driver takes them; at least one. */
  readonly urls: readonly string[];
  /** Only a server that takes changes will do, as opposed to a standby. */
  readonly isPrimaryWanted: boolean;
}

const postgresPattern = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/s;
const sessionRule = /(?<=[?&])target_session_attrs=([^&]*)&?/;

/** The driver puts in the host that is missing, where a parameter names the folder of a socket. */
const isUrl = (text: string): boolean => URL.canParse(text) || URL.canParse(text.replace('@/', '@x/'));

/**
 * `postgres://[USER[:PASSWORD]@]HOST[:PORT][,…]/NAME[?…]`. Of `target_session_attrs` it knows `any`, and `read-write` and
 * `primary`, which are the same here.
 */
export function postgresAddress(text: string): Result<PostgresAddress, string> {
  const [, login = '', hosts, path = '', query = ''] = postgresPattern.exec(text) ?? [];
  const rule = sessionRule.exec(query)?.[1] ?? 'any';
  if (!['any', 'read-write', 'primary'].includes(rule))
    return failure(`may have target_session_attrs=read-write, primary or any, not "${rule}"`);
  const rest = `${path}${query.replace(sessionRule, '').replace(/[?&]$/, '')}`;
  const parts = hosts?.split(',') ?? [];
  const urls = parts.map((host) => `${login}${host}${rest}`);
  // A lone host may be missing, or be a socket; the driver knows.
  const areHosts = hosts === '' || (parts.length > 0 && parts.every(isHost));
  return areHosts && urls.every(isUrl)
    ? success({ urls, isPrimaryWanted: rule !== 'any' })
    : failure(`must be postgres://USER:PASSWORD@HOST[:PORT][,…]/NAME, not "${withoutPassword(text)}"; ${loginRule}`);
}

/** Where the records are: `sqlite:PATH`, or a PostgreSQL database. */
export function databaseAddress(text: string): Result<string, string> {
  if (/^sqlite:.+$/.test(text)) return success(text);
  if (!/^postgres(ql)?:\/\/./.test(text))
    return failure(`must be sqlite:PATH or postgres://…, not "${withoutPassword(text)}"`);
  const address = postgresAddress(text);
  return address.ok ? success(text) : address;
}
