import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { type Clock, failure, type Result, realClock, success } from '@moorage/base';
import type { NetError, NetFailure, SecureOptions, TlsServer } from '../ports.ts';
import { certificateProblem } from './certificate-dates.ts';
import { failureOf, timedOut } from './errors.ts';

/**
 * Runs the client's side of a TLS handshake over an open stream. The peer's certificate is checked against `tls.ca`
 * (the host's authorities without one) and against the server's name or address. On failure the stream is destroyed.
 */
export function startTls(
  stream: Duplex,
  { host, tls, timeoutMs }: SecureOptions,
  clock: Clock = realClock,
): Promise<Result<Duplex, NetFailure>> {
  const name = tls.serverName ?? host;
  const { nowMs, resumption: session } = tls;
  const ticket = session?.ticket;
  return opening(clock, timeoutMs, stream, 'tls', (finish) => {
    const context = createSecureContext({ ca: tls.ca, cert: tls.cert, key: tls.key });
    const secured = connect({
      socket: stream,
      host: name,
      secureContext: context,
      rejectUnauthorized: nowMs === undefined,
      ...(ticket && { session: Buffer.from(ticket) }),
      // An address is no server name; it is checked against the certificate all the same.
      ...(isIP(name) === 0 && { servername: name }),
    });
    // Its 36 KiB are native memory, which V8 does not count: it would stay until some later collection.
    secured.once('close', () => context.context.close());
    if (session) {
      // The server may be another one by now: the next attempt does not count on what this one has not brought.
      session.ticket = undefined;
      secured.on('session', (made: Buffer) => {
        // Of its own: as a piece of Node's pool it would keep 64 KiB for as long as it waits to be used.
        session.ticket = new Uint8Array(made);
      });
    }
    secured.once('secureConnect', () => {
      const wrong = nowMs && certificateProblem(secured, { nowMs: nowMs(), ca: tls.ca, name });
      if (wrong) {
        secured.destroy();
        return finish(failure(wrong));
      }
      // Before TLS 1.3 a ticket that was good is good again, and there is no new one.
      if (session && secured.isSessionReused()) session.ticket ??= ticket;
      finish(success(secured));
    });
    return secured;
  });
}

/**
 * Runs the server's side of a TLS handshake over an open stream. With `tls.clientCa` a client without a certificate of
 * that authority fails. On failure the stream is destroyed.
 */
export function acceptTls(
  stream: Duplex,
  tls: TlsServer,
  timeoutMs: number,
  clock: Clock = realClock,
): Promise<Result<Duplex, NetFailure>> {
  return opening(clock, timeoutMs, stream, 'tls', (finish) => {
    // A server of its own for every connection: Node checks client certificates only there, and does not say which
    // stream a secured one came from. It listens nowhere.
    const server = createServer({
      cert: tls.cert,
      key: tls.key,
      ...(tls.clientCa !== undefined && {
        ca: tls.clientCa,
        requestCert: true,
        rejectUnauthorized: tls.nowMs === undefined,
      }),
    });
    // A client that leaves in the middle of the handshake ends it; afterwards each side may end by itself.
    stream.allowHalfOpen = false;
    server.once('secureConnection', (secured) => {
      secured.on('error', () => {});
      const { clientCa: ca, nowMs } = tls;
      const wrong = ca !== undefined && nowMs && certificateProblem(secured, { nowMs: nowMs(), ca });
      if (wrong) {
        secured.destroy();
        return finish(failure(wrong));
      }
      stream.allowHalfOpen = true;
      secured.allowHalfOpen = true;
      finish(success(secured));
    });
    server.once('tlsClientError', (error, refused) => finish(failure(refusalOf(error, refused))));
    server.emit('connection', stream);
    return stream;
  });
}

/** Node ends a connection whose certificate is not trusted without a word of why: the socket knows. */
function refusalOf(error: Error, { authorizationError }: TLSSocket): NetFailure {
  const code = authorizationError === undefined ? '' : String(authorizationError);
  if (code === '' || code === 'null') return failureOf(error, 'tls');
  return { error: 'tls', detail: `The certificate of the client was refused: ${code}`, code };
}

/** Waits for a stream that `start` opens: for its success, for an error, or for the time to run out. */
export function opening<T>(
  clock: Clock,
  timeoutMs: number,
  below: Duplex,
  otherwise: NetError,
  start: (finish: (result: Result<T, NetFailure>) => void) => Duplex,
): Promise<Result<T, NetFailure>> {
  return new Promise((resolve) => {
    let finished = false;
    let watched: Duplex | undefined;
    const finish = (result: Result<T, NetFailure>) => {
      if (finished) return;
      finished = true;
      cancel();
      if (!result.ok) {
        watched?.destroy();
        below.destroy();
      }
      resolve(result);
    };
    const cancel = clock.after(timeoutMs, () => finish(failure(timedOut(timeoutMs))));
    try {
      watched = start(finish);
    } catch (cause) {
      // A certificate or key that is no PEM.
      finish(failure({ error: otherwise, detail: (cause as Error).message }));
      return;
    }
    // Users of the stream listen too; this listener keeps a late error from ending the process.
    watched.on('error', (error) => finish(failure(failureOf(error, otherwise))));
    watched.once('close', () => {
      const detail = 'The connection was closed while it opened';
      // An error that explains the end comes later than the end itself.
      setImmediate(() => finish(failure({ error: 'reset', detail })));
    });
  });
}
