import type { RequestListener, Server } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { realClock } from '@moorage/base';
import { type CertificateAndKey, minTlsVersion } from './own-certificate.ts';
import type { Timeouts } from './timeouts.ts';

/** Requests of one browser at a time; twelve tabs with their events need fewer. */
const streamsOfConnection = 128;
/** A connection without a request for this long is closed, in ms. Event streams beat more often. */
const idleTimeoutMs = 120_000;

/** What a server with TLS shows. */
export const webTls = ({ certificate, key }: CertificateAndKey): SecureContextOptions => ({
  cert: certificate,
  key,
  minVersion: minTlsVersion,
});

/**
 * A server for browsers and programs over TLS: HTTP/2 for those that speak it, so that event streams and requests share
 * a connection, and HTTP/1.1 for the others. Its limits are those of the server without TLS.
 */
export function webServer(pair: CertificateAndKey, timeouts: Timeouts, handler: RequestListener): Server {
  const open = new Set<TLSSocket>();
  // Safe: requests and responses of both kinds have what is used of them; where they differ, `isGone` knows.
  const listener = handler as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  const limits = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
  };
  const options = {
    ...webTls(pair),
    allowHTTP1: true,
    handshakeTimeout: timeouts.handshakeMs,
    settings: { maxConcurrentStreams: streamsOfConnection },
    // For HTTP/1.1; the types know them for a server of that alone.
    ...limits,
  };
  const server = createSecureServer(options, listener);
  server.on('secureConnection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('session', (session) => session.setTimeout(idleTimeoutMs, () => session.close()));
  // Node itself limits the time of a request over HTTP/1.1.
  server.on('stream', (stream) => {
    const cancel = realClock.after(timeouts.requestMs, () => {
      if (!stream.endAfterHeaders && !stream.readableEnded) stream.close();
    });
    stream.once('close', cancel);
  });
  const closeAllConnections = (): void => {
    for (const socket of open) socket.destroy();
  };
  // Safe: the framework types HTTP/2 apart; what it calls of the server is there.
  return Object.assign(server, { closeAllConnections }) as unknown as Server;
}
