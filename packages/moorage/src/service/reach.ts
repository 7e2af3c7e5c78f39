import { get } from 'node:http';
import { get as getOverTls } from 'node:https';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { CancelTimer, Clock } from '@moorage/base';
import { addressText, type HostAndPort } from '@moorage/service/engine/settings/setting-texts';

/** A name that does not answer by then counts as not reached, in ms. */
const reachTimeoutMs = 3_000;

/** What is to be found there. */
export interface Expected {
  /** Authorities that sign the certificate of the device listener, PEM text. */
  readonly ca: string;
  /** Port of the listener itself. */
  readonly port: number;
  /** SHA-256 of a certificate that another authority has signed, upper-case hex with colons. */
  readonly fingerprint: string | undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no address',
  EAI_AGAIN: 'has no address at the moment',
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'does not answer with TLS',
  EPROTO: 'does not answer with TLS',
};

/**
 * Why devices do not reach the listener at this address, as far as this machine can tell; nothing when they do.
 * It takes at most 3 seconds.
 */
export function whyUnreached(address: HostAndPort, expected: Expected): Promise<string | undefined> {
  const { host } = address;
  const port = address.port ?? expected.port;
  return new Promise((resolve) => {
    const servername = isIP(host) === 0 ? host : '';
    const socket = connect({ host, port, servername, ca: expected.ca, rejectUnauthorized: false });
    const end = (reason?: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason && `${addressText({ host, port })} ${reason}`);
    };
    const timer = setTimeout(() => end(`does not answer within ${reachTimeoutMs / 1000} s`), reachTimeoutMs).unref();
    socket.once('secureConnect', () => {
      const isOwn = socket.getPeerX509Certificate()?.fingerprint256 === expected.fingerprint;
      end(socket.authorized || isOwn ? undefined : 'answers with the certificate of another server');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? '';
      end(reasons[code] ?? (code.startsWith('ERR_SSL') ? reasons.EPROTO : 'is not reached'));
    });
    // Alone it keeps no process alive that is being stopped.
    socket.unref();
  });
}

/** Where no device has a name: the listener knows the door, and lets nobody in. */
const doorPath = '/DEFAULT/controller/v1/self-check';
const replyLimitBytes = 4_096;

/**
 * Why links that begin with this address do not lead to a device listener; nothing when they do. Whose certificate is
 * there does not matter: a proxy may have one of its own. It takes at most 3 seconds.
 */
export function whyLinksFail(address: string): Promise<string | undefined> {
  const url = new URL(doorPath, address);
  const ask = url.protocol === 'https:' ? getOverTls : get;
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, agent: false, headers: { connection: 'close' } };
    const sent = ask(url, options, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (part: string) => {
        if (text.length < replyLimitBytes) text += part;
      });
      reply.on('error', () => end('is not reached'));
      reply.on('end', () => {
        const isOurs = reply.statusCode === 401 && text.includes('"DOOR_UNAUTHORISED"');
        end(isOurs ? undefined : `answers as another server (${reply.statusCode})`);
      });
    });
    const end = (reason?: string): void => {
      clearTimeout(timer);
      sent.destroy();
      resolve(reason && `${address} ${reason}`);
    };
    const timer = setTimeout(() => end(`does not answer within ${reachTimeoutMs / 1000} s`), reachTimeoutMs).unref();
    sent.on('error', (error: NodeJS.ErrnoException) => end(reasons[error.code ?? ''] ?? 'is not reached'));
    // Alone it keeps no process alive that is being stopped.
    sent.on('socket', (socket) => socket.unref());
  });
}

/** When an address that was not reached is tried again, and one that was, in ms. */
const againMs = 30_000;
const laterMs = 300_000;

/** Where it is told that something is not reached, under its kind. */
export interface ReachReport {
  readonly warnings: Map<string, string>;
  warn(message: string): void;
  info(message: string): void;
}

export interface ReachWatch {
  /** It has been tried once. */
  readonly first: Promise<void>;
  readonly stop: CancelTimer;
}

/**
 * Tries again and again whether something is reached. Each new reason is a warning, which goes when it is reached: names
 * and proxies are often set up after the service.
 *
 * @param warningNow what is wrong, if anything
 */
export function watchReach(
  kind: string,
  warningNow: () => Promise<string | undefined>,
  { warnings, warn, info }: ReachReport,
  clock: Clock,
): ReachWatch {
  let cancel: CancelTimer = () => {};
  let isStopped = false;
  const look = async (): Promise<void> => {
    const warning = await warningNow();
    if (isStopped) return;
    const before = warnings.get(kind);
    if (warning === undefined) warnings.delete(kind);
    else warnings.set(kind, warning);
    if (warning !== undefined && warning !== before) warn(warning);
    if (warning === undefined && before !== undefined) info(`No more: ${before}`);
    cancel = clock.after(warning === undefined ? laterMs : againMs, () => void look());
  };
  return {
    first: look(),
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
