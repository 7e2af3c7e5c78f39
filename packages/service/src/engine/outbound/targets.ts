import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * IPv6 networks whose last 32 bits are the IPv4 address at which a packet arrives: compatible, mapped, translated and
 * NAT64 (RFC 4291 2.5.5, RFC 7915, RFC 6052). Tunnels and the local NAT64 prefix (RFC 8215) are never public.
 */
const carriers: readonly Network[] = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map((text) =>
  ipaddr.parseCIDR(text),
);

const isIn = (address: Address, [network, bits]: Network): boolean =>
  network.kind() === address.kind() && address.match(network, bits);

/** The address at which packets to this one arrive. */
const carriedBy = (address: Address): Address =>
  carriers.some((network) => isIn(address, network)) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;

/** Refused by our own rules, before a byte was sent. */
export class TargetNotAllowed extends Error {
  readonly host: string;

  constructor(host: string) {
    super(`Host "${host}" may not be called`);
    this.host = host;
  }
}

/** Asks for all addresses of a name; as `lookup` of node:dns. */
type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Which addresses connectors may call: public ones, and the networks that the operator allows. */
export class Targets {
  readonly #allowed: readonly Network[];
  readonly #resolve: Resolve;

  /**
   * @param networks CIDR texts, checked by the settings
   * @param resolve the machine's own resolver when absent
   */
  constructor(networks: readonly string[], resolve: Resolve = lookup) {
    this.#resolve = resolve;
    this.#allowed = networks.map((text) => ipaddr.parseCIDR(text));
  }

  /** Whether an address may be called; one that carries another is judged by that. Spec: API-RULE-connector-3. */
  allows(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    const carried = carriedBy(address);
    const isAllowed = this.#allowed.some((network) => isIn(address, network) || isIn(carried, network));
    // Everything that is not plain unicast is inside, or nowhere: loopback, private, link-local, carrier NAT, tunnels.
    return isAllowed || carried.range() === 'unicast';
  }

  /** The host of a URL, when it is an address that may not be called. */
  refusedHost(url: string): string | undefined {
    const host = hostOf(url);
    return ipaddr.isValid(host) && !this.allows(host) ? host : undefined;
  }

  /**
   * Resolves a name for a connection: what is checked here is what is then dialled, so a name whose addresses change
   * between two questions gains nothing by it. One bad address among several refuses the name.
   */
  readonly lookup: LookupFunction = (host, options, done) => {
    const all: LookupAllOptions = { ...options, all: true };
    this.#resolve(host, all, (error, found: LookupAddress[] = []) => {
      if (error) return done(error, '');
      const [first] = found;
      if (!first || found.some(({ address }) => !this.allows(address))) return done(new TargetNotAllowed(host), '');
      if (options.all) return done(null, found);
      done(null, first.address, first.family);
    });
  };
}

/** The host of a URL as sockets take it: an IPv6 address without its brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
