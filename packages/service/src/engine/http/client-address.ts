import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * The address of the client: of the peer, or where that is a trusted proxy, as the nearest proxy that is not trusted
 * was seen. What a proxy writes there and is no address counts for nothing.
 */
export const clientAddress = ({ ip, ips, raw }: FastifyRequest): string =>
  ips === undefined || ipaddr.isValid(ip) ? ip : (raw.socket.remoteAddress ?? '');
