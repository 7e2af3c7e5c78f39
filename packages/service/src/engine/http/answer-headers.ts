import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * What every answer of every listener has unless it says otherwise, as files do: no cache keeps it, and no browser takes
 * it for something else than it says. Spec: API-RULE-headers-1.
 */
export const answerHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** How long a browser comes back over TLS alone: a year, in seconds. */
const tlsOnlyS = 31_536_000;
const tlsHeaders = { ...answerHeaders, 'strict-transport-security': `max-age=${tlsOnlyS}` } as const;

/** A host that a browser may hold to TLS: a name other than `localhost`, with a port or without. */
const hostName = /(^|\.)(?!localhost\.?(:|$))[a-z][a-z0-9-]*\.?(:\d+)?$/i;

/** The headers of the answer to a request. */
export type AnswerHeaders = (headers: IncomingHttpHeaders) => typeof answerHeaders;

/**
 * Those of a listener.
 *
 * @param hasTls it speaks TLS to browsers, which are held to it where they have called a name. Spec: API-RULE-headers-2
 */
export const answerHeadersOf = (hasTls: boolean): AnswerHeaders =>
  hasTls
    ? // Over HTTP/2 the host has another name.
      ({ host, ':authority': authority = host }) =>
        hostName.test(String(authority ?? '')) ? tlsHeaders : answerHeaders
    : () => answerHeaders;

/** Takes a reply out of the framework's hands, with the headers that it has so far. */
export function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
