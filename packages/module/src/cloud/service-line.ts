import type { EndpointShape, ReplyOf } from '@moorage/api';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Net } from '@moorage/net';
import type { HttpTarget } from '@moorage/net/http/client';
import type { Flash } from '../device/flash-files.ts';
import type { VariableStore } from '../variables/store.ts';
import type { JoinFailure } from '../wlan/join-table.ts';
import { type IdentityPair, identityFiles, isRenewalDue, tlsIdentity } from './identity.ts';
import type { RecordKeeper } from './record.ts';
import { fetchRenewed, isRenewalOpen, settleRenewal } from './renewal.ts';
import { joinFailure, type LinkFailure } from './results.ts';
import { type LinkInput, ServiceClient } from './service-client.ts';

/** What the link asks of the radio, on the interface that `dms.interface` names. */
export interface LinkNetwork {
  isUp(): boolean;
  ensureUp(): Promise<Result<void, JoinFailure>>;
}

export interface LineParts {
  readonly clock: Clock;
  readonly net: Net;
  readonly flash: Flash;
  readonly identity: { readonly mac: string; readonly uuid: string };
  readonly variables: Pick<VariableStore, 'get'>;
  readonly network: LinkNetwork;
  /** Plain HTTP with uuid and token headers instead of TLS: for a service with an insecure device listener. */
  readonly insecure?: boolean;
}

/**
 * How long until the next renewal is tried, after one that came to nothing and after one that did, in ms: where the
 * clocks of the two sides are years apart a new certificate may look old at once.
 */
const renewalRetryMs = 3_600_000;
const renewalPauseMs = 24 * 3_600_000;

type Task<T> = (client: ServiceClient) => Promise<Result<T, LinkFailure>>;

/** The way to the service: joins, dials, shows the module's identity. One exchange at a time. */
export class ServiceLine {
  readonly #parts: LineParts;
  readonly #keeper: RecordKeeper;
  /** Told when the certificate has been renewed, or why not. */
  readonly #renewal: (failed: LinkFailure | undefined) => void;
  #turn: Promise<unknown> = Promise.resolve();
  #client: ServiceClient | undefined;
  #renewalPausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LineParts, keeper: RecordKeeper, renewal: (failed: LinkFailure | undefined) => void) {
    this.#parts = parts;
    this.#keeper = keeper;
    this.#renewal = renewal;
  }

  /** Gives up the exchange that runs. */
  close(): void {
    this.#client?.close();
  }

  /** Makes one call over a connection of its own. */
  ask<E extends EndpointShape>(endpoint: E, input: LinkInput<E>): Promise<Result<ReplyOf<E>, LinkFailure>> {
    return this.withClient((client) => client.call(endpoint, input));
  }

  async join(): Promise<Result<void, LinkFailure>> {
    const joined = await this.#parts.network.ensureUp();
    return joined.ok ? joined : failure(joinFailure(joined.error));
  }

  /** Joins if need be, and makes calls over one connection. Spec: MOD-NET-auto-up. */
  async withClient<T>(task: Task<T>): Promise<Result<T, LinkFailure>> {
    const joined = await this.join();
    if (!joined.ok) return joined;
    const settled = await this.#settle();
    if (!settled.ok) return settled;
    const done = await this.#withPair(identityFiles, async (client) => {
      const outcome = await task(client);
      if (outcome.ok) await this.#renewIfDue(client);
      return outcome;
    });
    // What has just been fetched is acknowledged at once; the task is done either way.
    if (done.ok) await this.#settle();
    return done;
  }

  /** Where the service is, with an identity that it takes: for connections that are not made of calls. */
  async target(): Promise<Result<HttpTarget, LinkFailure>> {
    const settled = await this.#settle();
    return settled.ok ? success(await this.#target(identityFiles)) : settled;
  }

  /** Whether the certificate is to be renewed at the next exchange. */
  async isRenewalDue(): Promise<boolean> {
    const { clock, flash, insecure } = this.#parts;
    if (insecure || clock.monotonic() < this.#renewalPausedUntilMs) return false;
    return isRenewalDue(flash, clock.now());
  }

  /** Runs a task when those before it are over. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task, task);
    // A failed task must not be a rejection that nobody handles.
    this.#turn = done.catch(() => {});
    return done;
  }

  async #withPair<T>(pair: IdentityPair, task: Task<T>): Promise<Result<T, LinkFailure>> {
    const client = new ServiceClient(this.#parts.net, this.#parts.clock, await this.#target(pair));
    this.#client = client;
    try {
      return await task(client);
    } finally {
      client.close();
    }
  }

  async #renewIfDue(client: ServiceClient): Promise<void> {
    if (!(await this.isRenewalDue())) return;
    const fetched = await fetchRenewed(this.#parts.flash, client);
    const { clock } = this.#parts;
    this.#renewalPausedUntilMs = clock.monotonic() + (fetched.ok ? renewalPauseMs : renewalRetryMs);
    if (!fetched.ok) this.#renewal(fetched.error);
  }

  /** Nothing to do while no renewal is open, which is nearly always. */
  async #settle(): Promise<Result<void, LinkFailure>> {
    const { flash } = this.#parts;
    if (!isRenewalOpen(flash)) return success(undefined);
    const settled = await settleRenewal({ flash, withPair: (pair, task) => this.#withPair(pair, task) });
    if (!settled.ok) return settled;
    if (settled.value === 'renewed') this.#renewal(undefined);
    return success(undefined);
  }

  async #target(pair: IdentityPair): Promise<HttpTarget> {
    const { flash, identity, insecure, variables } = this.#parts;
    const target = { host: variables.get('ota.host'), port: variables.get('ota.port') };
    const headers = { 'x-device-uuid': identity.uuid.toLowerCase() };
    const { token } = this.#keeper.record;
    if (insecure) return { ...target, headers: { ...headers, ...(token && { 'x-device-token': token }) } };
    return { ...target, headers, tls: await tlsIdentity(flash, variables.get('network.ca_cert'), pair) };
  }
}
