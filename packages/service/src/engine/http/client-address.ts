import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * The address of the client: of the peer, or where that is a trusted proxy, as the nearest proxy that is not trusted
 * was seen. What a proxy writes there and is no address counts for nothing.
 */
export const clientAddress = ({ ip, ips, raw }: FastifyRequest): string =>
  ips === undefined || ipaddr.isValid(ip) ? ip : (raw.socket.remoteAddress ?? '');

/** The networks of an address that limits go by. */
export interface Networks {
  /** What one client has at least: an IPv4 address, or a /64 of IPv6. */
  readonly address: string;
  /** What one customer of a provider may have: a /24 of IPv4, or a /48 of IPv6. */
  readonly network: string;
}

/** The one place that says so; a text that is no address counts as a network. Spec: API-LIMIT-networks. */
export function networksOf(ip: string): Networks {
  if (!ipaddr.isValid(ip)) return { address: ip, network: ip };
  const parsed = ipaddr.process(ip);
  if (!(parsed instanceof ipaddr.IPv6)) {
    return { address: parsed.toString(), network: `${parsed.octets.slice(0, 3).join('.')}.0/24` };
  }
  const parts = parsed.parts.map((part) => part.toString(16));
  return { address: `${parts.slice(0, 4).join(':')}::/64`, network: `${parts.slice(0, 3).join(':')}::/48` };
}

/** What a network may do beside what one address of it may. */
export const networkShare = 2;
