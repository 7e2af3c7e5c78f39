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

const loginRule = 'must have characters such as % @ : / # in user and password as %25 %40 %3A %2F %23';

/** Where NATS servers are: `nats://[USER:PASSWORD@]HOST[:PORT][,…][/PREFIX]`, `tls://…` for TLS. */
export function natsAddress(text: string): Result<string, string> {
  const [, login = '', hosts] = /^(?:nats|tls):\/\/(?:([^/\s]*)@)?([^@/\s]+)(?:\/[A-Za-z0-9_-]+)?$/.exec(text) ?? [];
  if (!hosts?.split(',').every(isHost))
    return failure(`must be nats://HOST[:PORT][,…][/PREFIX], not "${withoutPassword(text)}"`);
  return /[@,]/.test(login) || !isDecodable(login) ? failure(loginRule) : success(text);
}

/** `http://…` or `https://…`, without a query. */
export const httpAddress = (text: string): Result<string, string> =>
  /^https?:\/\/[^\s?#]+$/.test(text) && URL.canParse(text)
    ? success(text)
    : failure(`must be an http or https address, not "${withoutPassword(text)}"`);
