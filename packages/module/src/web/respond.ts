import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** One request and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers that every answer of this server carries. */
  readonly common: OutgoingHttpHeaders;
}

/**
 * Headers of all answers of a server: one value, whatever the origin of the request is. Spec: MOD-HTTP-cors. Reference: http-server 3.1.
 */
export const commonHeaders = (corsOrigin: string): OutgoingHttpHeaders =>
  corsOrigin === '' ? {} : { 'Access-Control-Allow-Origin': corsOrigin };

/** Sends a whole answer. */
export function send(
  exchange: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array,
): void {
  const { request, response, common } = exchange;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  response.writeHead(status, { ...common, ...headers, 'Content-Length': length });
  if (request.method === 'HEAD') response.end();
  // ASCII, which most answers are, goes out together with the headers and without being encoded.
  else if (length === body.length) response.end(body, 'latin1');
  else response.end(body);
}

/** What the statuses are called in answers that are read by people. */
const statusLines: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  416: 'Range not satisfiable',
  426: 'Upgrade required',
  431: 'Request header too large',
  500: 'Server error',
  503: 'Service unavailable',
};

const plainText = { 'Content-Type': 'text/plain; charset=utf-8' };

const statusText = (status: number, reason: string | undefined): string =>
  `${statusLines[status] ?? status}${reason === undefined ? '' : `: ${reason}`}\r\n`;

/** Answers that a request cannot be done, with a line that says why. */
export function refuse(exchange: Exchange, status: number, reason?: string, headers: OutgoingHttpHeaders = {}): void {
  send(exchange, status, { ...plainText, ...headers }, statusText(status, reason));
}

/** The same where there is no response object: on the bare connection, which ends with it. */
export function rawRefusal(status: number, reason: string | undefined, common: OutgoingHttpHeaders): string {
  const body = statusText(status, reason);
  const headers = { ...common, ...plainText, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusLines[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
