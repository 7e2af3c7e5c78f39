import { type EndpointShape, type ReplyOf, renewalHeaders } from '@moorage/api';
import { dayMs, hourMs, ignoreFailure, type Result, success, Turns } from '@moorage/base';
import type { TlsSession } from '@moorage/net';
import type { HttpTarget } from '@moorage/net/http/client';
import { type RequestInput, ServiceConnection } from './connection.ts';
import { isAnswered, type ServiceFailure, withStore } from './failures.ts';
import {
  fingerprintsOf,
  type IdentityPair,
  identityFiles,
  isRenewalDue,
  lifetimeOf,
  renewedFiles,
  tlsIdentity,
} from './identity.ts';
import type { DevicePorts } from './ports.ts';
import type { RecordKeeper } from './record.ts';
import { fetchRenewed, isRenewalOpen, settleRenewal } from './renewal.ts';

export type AccessPorts = Pick<DevicePorts, 'clock' | 'net' | 'files' | 'identity' | 'service' | 'network'>;

/**
 * How long until the next renewal is tried, after one that came to nothing and after one that did, in ms: where the
 * clocks of the two sides are years apart a new certificate may look old at once. One that lives for days has a shorter
 * pause, a part of its life: it would end before it is renewed.
 */
const renewalRetryMs = hourMs;
const renewalPauseMs = dayMs;
const renewalPauseShare = 1 / 6;

type Task<T> = (connection: ServiceConnection) => Promise<Result<T, ServiceFailure>>;

/** The way to the service: joins the network, dials, presents the device's identity. One task at a time. */
export class ServiceAccess {
  readonly #parts: AccessPorts;
  readonly #keeper: RecordKeeper;
  /** Called when the certificate has been renewed, or with why not. */
  readonly #renewal: (failed: ServiceFailure | undefined) => void;
  readonly #turns = new Turns();
  #connection: ServiceConnection | undefined;
  #renewalPausedUntilMs = Number.NEGATIVE_INFINITY;
  /** With the service and the identity that it belongs to. Like them it is forgotten without power. */
  #session: { readonly of: string; readonly session: TlsSession } | undefined;
  /** The service has another authority: it has asked for a renewal, and not since then said otherwise. */
  #renewalWanted = false;

  constructor(parts: AccessPorts, keeper: RecordKeeper, renewal: (failed: ServiceFailure | undefined) => void) {
    this.#parts = parts;
    this.#keeper = keeper;
    this.#renewal = renewal;
  }

  /** Gives up the task that runs. */
  close(): void {
    this.#session = undefined;
    this.#connection?.close();
  }

  /** Makes one request over a connection of its own. */
  request<E extends EndpointShape>(endpoint: E, input: RequestInput<E>): Promise<Result<ReplyOf<E>, ServiceFailure>> {
    return this.withConnection((connection) => connection.request(endpoint, input));
  }

  join(): Promise<Result<void, ServiceFailure>> {
    return this.#parts.network.ensureUp();
  }

  /** Joins if need be, and makes requests over one connection. Spec: MOD-NET-auto-up. */
  withConnection<T>(task: Task<T>): Promise<Result<T, ServiceFailure>> {
    return withStore(() => this.#overConnection(task));
  }

  async #overConnection<T>(task: Task<T>): Promise<Result<T, ServiceFailure>> {
    const joined = await this.join();
    if (!joined.ok) return joined;
    const settled = await this.#settle();
    if (!settled.ok) return settled;
    const done = await this.#withPair(identityFiles, async (connection) => {
      const outcome = await task(connection);
      // A device whose queries are refused, as without a bundle, still needs a certificate. Spec: MOD-ID-renew.
      if (outcome.ok || isAnswered(outcome.error)) await this.#renewIfDue(connection);
      return outcome;
    });
    // What has just been fetched is acknowledged at once; the outcome of the task stays what it is.
    if (done.ok || isAnswered(done.error)) ignoreFailure(await this.#settle());
    return done;
  }

  /** Where the service is, with an identity that it takes: for connections that are not made of requests. */
  async target(): Promise<Result<HttpTarget, ServiceFailure>> {
    const settled = await this.#settle();
    return settled.ok ? success(await this.#target(identityFiles)) : settled;
  }

  /** Whether the certificate is to be renewed with the next task. */
  async isRenewalDue(): Promise<boolean> {
    const { clock, files, service } = this.#parts;
    if (service().insecure || clock.monotonic() < this.#renewalPausedUntilMs) return false;
    return this.#renewalWanted || isRenewalDue(files, clock.now());
  }

  /** Runs a task when those before it are over. */
  inTurn<T>(task: () => Promise<Result<T, ServiceFailure>>): Promise<Result<T, ServiceFailure>> {
    return this.#turns.run(() => withStore(task));
  }

  async #withPair<T>(pair: IdentityPair, task: Task<T>): Promise<Result<T, ServiceFailure>> {
    const connection = new ServiceConnection(this.#parts.net, this.#parts.clock, await this.#target(pair));
    this.#connection = connection;
    try {
      return await task(connection);
    } finally {
      connection.close();
    }
  }

  async #renewIfDue(connection: ServiceConnection): Promise<void> {
    if (!(await this.isRenewalDue())) return;
    const { clock, files } = this.#parts;
    const fetched = await fetchRenewed(files, connection);
    const pauseMs = fetched.ok ? await this.#pauseMs() : renewalRetryMs;
    this.#renewalPausedUntilMs = clock.monotonic() + pauseMs;
    if (!fetched.ok) this.#renewal(fetched.error);
  }

  /** After the renewal that has just been stored. */
  async #pauseMs(): Promise<number> {
    const [fromMs, toMs] = (await lifetimeOf(this.#parts.files, renewedFiles)) ?? [0, Number.POSITIVE_INFINITY];
    return Math.min(renewalPauseMs, (toMs - fromMs) * renewalPauseShare);
  }

  /** Nothing to do while no renewal is open, which is nearly always. */
  async #settle(): Promise<Result<void, ServiceFailure>> {
    const { files } = this.#parts;
    if (!isRenewalOpen(files)) return success(undefined);
    const settled = await settleRenewal({ files, withPair: (pair, task) => this.#withPair(pair, task) });
    if (!settled.ok) return settled;
    if (settled.value) this.#renewal(undefined);
    return success(undefined);
  }

  /** A session under another certificate would say that the device still has that one. */
  #sessionOf(of: string): TlsSession {
    if (this.#session?.of !== of) this.#session = { of, session: { ticket: undefined } };
    return this.#session.session;
  }

  async #target(pair: IdentityPair): Promise<HttpTarget> {
    const { files, identity, service } = this.#parts;
    const { host, port, insecure, authorityFile } = service();
    const target = { host, port };
    const headers = { 'x-device-uuid': identity.uuid.toLowerCase() };
    const { token } = this.#keeper.record;
    if (insecure) return { ...target, headers: { ...headers, ...(token && { 'x-device-token': token }) } };
    const tls = await tlsIdentity(files, authorityFile, pair);
    // What the renewed pair acknowledges is stored, the authorities included. Spec: MOD-ID-authority.
    const known = pair === renewedFiles && { [renewalHeaders.known]: fingerprintsOf(tls.ca ?? '').join(',') };
    return {
      ...target,
      headers: { ...headers, ...known },
      tls: { ...tls, resumption: this.#sessionOf([host, port, tls.ca, tls.cert].join()) },
      onHeaders: (received) => {
        this.#renewalWanted = renewalHeaders.due in received;
      },
    };
  }
}
