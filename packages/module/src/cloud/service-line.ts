import type { EndpointShape, ReplyOf } from '@moorage/api';
import { type Clock, failure, type Result } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import type { HttpTarget } from '../net/http.ts';
import type { Net } from '../net/ports.ts';
import type { VariableStore } from '../variables/store.ts';
import type { JoinFailure } from '../wlan/join-table.ts';
import { tlsIdentity } from './identity.ts';
import type { RecordKeeper } from './record.ts';
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

/** The way to the service: joins, dials, shows the module's identity. One exchange at a time. */
export class ServiceLine {
  readonly #parts: LineParts;
  readonly #keeper: RecordKeeper;
  #turn: Promise<unknown> = Promise.resolve();
  #client: ServiceClient | undefined;

  constructor(parts: LineParts, keeper: RecordKeeper) {
    this.#parts = parts;
    this.#keeper = keeper;
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
  async withClient<T>(
    task: (client: ServiceClient) => Promise<Result<T, LinkFailure>>,
  ): Promise<Result<T, LinkFailure>> {
    const joined = await this.join();
    if (!joined.ok) return joined;
    const client = new ServiceClient(this.#parts.net, this.#parts.clock, await this.#target());
    this.#client = client;
    try {
      return await task(client);
    } finally {
      client.close();
    }
  }

  async #target(): Promise<HttpTarget> {
    const { flash, identity, insecure, variables } = this.#parts;
    const target = { host: variables.get('ota.host'), port: variables.get('ota.port') };
    const headers = { 'x-device-uuid': identity.uuid.toLowerCase() };
    const { token } = this.#keeper.record;
    if (insecure) return { ...target, headers: { ...headers, ...(token && { 'x-device-token': token }) } };
    return { ...target, headers, tls: await tlsIdentity(flash, variables.get('network.ca_cert')) };
  }

  /** Runs a task when those before it are over. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task, task);
    // A failed task must not be a rejection that nobody handles.
    this.#turn = done.catch(() => {});
    return done;
  }
}
