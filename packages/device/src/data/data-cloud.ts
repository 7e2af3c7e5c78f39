import { createHash } from 'node:crypto';
import { type Capabilities, type EndpointShape, otaResults, type ReplyOf } from '@moorage/api';
import { type Clock, defined, failure, type Random, type Result, type Store, success } from '@moorage/base';
import Value from 'typebox/value';
import type { DeviceClient } from '../client.ts';
import { dataEndpoints, type RequestInput, type ServiceConnection } from '../connection.ts';
import { failureTexts, type ServiceFailure } from '../failures.ts';
import type { DeviceFiles } from '../ports.ts';
import { readCapabilities } from './capabilities.ts';
import { DataKeeper } from './keeper.ts';
import {
  type Activation,
  ControlAction,
  controlValue,
  controlValues,
  fitsCache,
  hasUnpushed,
  type PushedControl,
  type PushedKinds,
  sampleCacheBytes,
  usedBytes,
  withBatch,
  withoutBatch,
  withoutPost,
  withPost,
  withPulled,
  withSamples,
  withWrites,
} from './state.ts';
import { capabilityOf, type Datum, datumBytes, suitedValue, textProblem, type WrittenValue } from './values.ts';

/** Why the data cloud does not do what it was asked. */
export type DataRefusal =
  | { readonly kind: 'not-activated' | 'already-activated' | 'no-capabilities' | 'overflow' }
  /** There is no stream or control of that name, or what its value is not. */
  | { readonly kind: 'invalid'; readonly name: string; readonly problem?: string }
  | { readonly kind: 'no-file' | 'malformed'; readonly detail: string }
  | { readonly kind: 'service'; readonly error: ServiceFailure };

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What happens without anything that was asked for. */
export interface DataNotices {
  /** The device is activated with this capabilities file: it has just been, or is since an earlier boot. */
  activated(file: string): void;
  /** The service does not know of the activation any more. */
  lost(): void;
  /** That many samples went where there was no room. */
  dropped(count: number): void;
  /** Samples stay in the cache for now. */
  notPushed(error: ServiceFailure): void;
  /** The store has not taken controls that the service has sent; they come again with the next pull. */
  notApplied(cause: unknown): void;
}

export interface DataParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly files: Pick<DeviceFiles, 'readAll'>;
  readonly client: DeviceClient;
  /** Version text of the program. */
  readonly version: () => string;
  readonly notices: DataNotices;
}

type Response<T> = Promise<Result<T, DataRefusal>>;

const all: PushedKinds = { samples: true, controls: true };

/** Refusals that would meet a batch again and again. */
const finalRefusals: ReadonlySet<string | undefined> = new Set(['INVALID_REQUEST', 'UNKNOWN_DATA', 'WRONG_VALUE']);

/** The device's side of the data cloud: activation, cached samples, controls. Reference: data-cloud 1.1. */
export class DataCloud {
  readonly #parts: DataParts;
  readonly #keeper: DataKeeper;
  readonly #listeners = new Set<() => void>();
  /** Of this boot; what an earlier one left running looks at its own. */
  #power = { isOff: false };

  constructor(parts: DataParts) {
    this.#parts = parts;
    this.#keeper = new DataKeeper(parts.store);
    parts.client.onAction('control', (action) => {
      if (!Value.Check(ControlAction, action)) return;
      this.applyControls(action.controls).catch((cause) => parts.notices.notApplied(cause));
    });
  }

  /** Spec: MOD-VAR-cloud.status. */
  get activated(): boolean {
    return this.#keeper.activation !== undefined;
  }

  /** Name of the capabilities file of the activation; `undefined` while the device is not activated. */
  get file(): string | undefined {
    return this.#keeper.activation?.file;
  }

  /** What the device has reported that it can do; `undefined` while it is not activated. */
  get capabilities(): Capabilities | undefined {
    return this.#keeper.activation?.capabilities;
  }

  /** Reads what is kept without power. At each boot. */
  async load(): Promise<void> {
    this.#power = { isOff: false };
    await this.#keeper.load();
    if (this.file !== undefined) this.#parts.notices.activated(this.file);
  }

  /** Before a reboot or power-off: nothing more is sent. */
  stop(): void {
    this.#power.isOff = true;
  }

  /** Calls `listener` whenever controls have changed, on either side; returns how to stop. */
  onControls(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Binds the device to an account of the service, with what a capabilities file says that it can do.
   * Spec: MOD-CMD-cloud_activate, MOD-AUTH-7.
   *
   * @param login `undefined` for the account that has claimed the device
   * @param file name of the capabilities file; empty when there is none
   */
  async activate(login: Login | undefined, file: string): Response<void> {
    const { client, clock, files, notices, random, version } = this.#parts;
    if (this.activated) return failure({ kind: 'already-activated' });
    if (file === '') return failure({ kind: 'no-capabilities' });
    const capabilities = await readCapabilities(files, file);
    if (!capabilities.ok) return capabilities;
    const body = { ...login, version: version(), capabilities: capabilities.value };
    const activated = await client.withConnection(async (connection) => {
      const first = await connection.request(dataEndpoints.activate, { body });
      if (first.ok || first.error.code !== 'ALREADY_ACTIVATED') return first;
      // The response to an earlier try has been lost, or the files: the device begins anew.
      const ended = await connection.request(dataEndpoints.deactivate, { body: { ...login } });
      return ended.ok ? connection.request(dataEndpoints.activate, { body }) : ended;
    });
    if (!activated.ok) return serviceRefusal(activated.error);
    // No batch of this activation may have the id of an earlier one, even if the files have been lost in between.
    const epoch = clock.now().toString(16).padStart(12, '0') + Buffer.from(random.bytes(2)).toString('hex');
    await this.#keeper.activate({ file, capabilities: capabilities.value, epoch: epoch.slice(-16) });
    notices.activated(file);
    return success(undefined);
  }

  /** Pushes what is cached, then undoes the activation; without a login, as the account that has claimed the device. Spec: MOD-CMD-cloud_deactivate. */
  async deactivate(login?: Login): Response<void> {
    const { client } = this.#parts;
    const epoch = this.#keeper.activation?.epoch;
    const ended = await client.withConnection(async (connection) => {
      if (epoch !== undefined) {
        const pushed = await this.#pushOver(connection, all, epoch);
        // What the service refuses for good does not keep the device activated.
        if (!pushed.ok && pushed.error.result !== otaResults.badRequest) return pushed;
      }
      return connection.request(dataEndpoints.deactivate, { body: { ...login } });
    });
    const isOver = ended.ok || (epoch !== undefined && ended.error.code === 'NOT_ACTIVATED');
    if (isOver && epoch !== undefined) await this.#keeper.deactivate(epoch);
    return ended.ok || isOver ? success(undefined) : serviceRefusal(ended.error);
  }

  /**
   * Caches samples and pushes controls. Samples are durable when this resolves, whatever becomes of a push: one that
   * fails keeps the cache, and the oldest go only when that is full. Spec: MOD-CMD-cloud_write.
   */
  async write(values: readonly WrittenValue[]): Response<void> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const sorted = sortValues(values, activation.capabilities);
    if (!sorted.ok) return sorted;
    const { samples, controls } = sorted.value;
    if (!fitsCache(samples)) return failure({ kind: 'overflow' });
    // Spec: MOD-OPT-cloud_write-stream.
    const bytes = samples.reduce((sum, sample) => sum + datumBytes(sample), 0);
    if (samples.length > 0 && usedBytes(this.#keeper.state) + bytes > sampleCacheBytes) {
      const pushed = await this.#push({ samples: true, controls: false }, activation);
      if (!pushed.ok) this.#parts.notices.notPushed(pushed.error);
    }
    if (!(await this.#add(activation, samples, controls))) return failure({ kind: 'not-activated' });
    if (controls.length === 0) return success(undefined);
    // Spec: MOD-OPT-cloud_write-control.
    const pushed = await this.#push({ samples: false, controls: true }, activation);
    return pushed.ok ? pushed : serviceRefusal(pushed.error);
  }

  /** Puts samples into the cache that the device has taken by itself. */
  async sample(samples: readonly Datum[]): Promise<void> {
    const { activation } = this.#keeper;
    if (activation && samples.length > 0) await this.#add(activation, samples, []);
  }

  /** Controls that have a value, out of the cache: one, or all. Never touches the network. Spec: MOD-CMD-cloud_read. */
  read(name?: string): Result<readonly Datum[], DataRefusal> {
    const { activation, state } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { capabilities } = activation;
    if (name === undefined) return success(controlValues(state, capabilities));
    if (capabilityOf(capabilities.controls, name) === undefined) return failure({ kind: 'invalid', name });
    return success(controlValues(state, capabilities, [name]));
  }

  /** Value of a control; `undefined` when it has none. */
  control(name: string): Datum['v'] | undefined {
    const { activation, state } = this.#keeper;
    return activation && controlValue(state, activation.capabilities, name)?.v;
  }

  /** Exchanges samples and controls with the service. Spec: MOD-CMD-cloud_sync. Reference: data-cloud 3.2. */
  async sync(direction: 'push' | 'pull' | 'both'): Response<void> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { client } = this.#parts;
    // Spec: MOD-OPT-cloud_sync-push.
    if (direction === 'push') {
      const pushed = await this.#push(all, activation);
      return pushed.ok ? pushed : serviceRefusal(pushed.error);
    }
    const synced = await client.withConnection(async (connection) => {
      const pushed =
        direction === 'pull' ? success(undefined) : await this.#pushOver(connection, all, activation.epoch);
      return pushed.ok ? this.#pullOver(connection, activation) : pushed;
    });
    return synced.ok ? synced : serviceRefusal(await this.#note(synced.error, activation.epoch));
  }

  /** Takes values of controls that the service has sent by itself, by the rules of a pull. */
  async applyControls(values: readonly PushedControl[]): Promise<void> {
    const { activation } = this.#keeper;
    const timed = values.map(({ n, v, t = 0 }) => ({ n, v, t }));
    if (activation) await this.#take(activation, timed);
  }

  /** Makes one request that needs an activation. */
  async request<E extends EndpointShape>(endpoint: E, input: RequestInput<E>): Response<ReplyOf<E>> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const response = await this.#parts.client.request(endpoint, input);
    return response.ok ? response : serviceRefusal(await this.#note(response.error, activation.epoch));
  }

  /**
   * Posts a message. When it is not known whether one has arrived, the same text posted again soon after arrives once;
   * that holds over restarts. Spec: MOD-DATA-once, MOD-OPT-cloud_message-post.
   */
  async post(data: string): Response<ReplyOf<typeof dataEndpoints.post>> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { epoch } = activation;
    const digest = createHash('sha256').update(data).digest('base64');
    await this.#keeper.change(epoch, (state) => withPost(state, digest, this.#parts.clock.now()));
    const key = this.#keeper.state.post?.key;
    const posted = await this.request(dataEndpoints.post, { body: { data, ...defined({ key }) } });
    if (posted.ok && key !== undefined) await this.#keeper.change(epoch, (state) => withoutPost(state, key));
    return posted;
  }

  /** False when the activation is over. */
  async #add({ epoch }: Activation, samples: readonly Datum[], controls: readonly Datum[]): Promise<boolean> {
    let dropped = 0;
    const added = await this.#keeper.change(epoch, (state) => {
      const next = withWrites(samples.length > 0 ? withSamples(state, samples) : state, controls);
      const count = ({ samples: free, batch }: typeof state) => free.length + (batch?.samples.length ?? 0);
      dropped = count(state) + samples.length - count(next);
      return next;
    });
    if (added && dropped > 0) this.#parts.notices.dropped(dropped);
    if (added && controls.length > 0) this.#notify();
    return added;
  }

  /** Needs no network when there is nothing to push. */
  async #push(kinds: PushedKinds, { epoch }: Activation): Promise<Result<void, ServiceFailure>> {
    const { client } = this.#parts;
    if (!hasUnpushed(this.#keeper.state, kinds)) return success(undefined);
    const pushed = await client.withConnection((connection) => this.#pushOver(connection, kinds, epoch));
    return pushed.ok ? pushed : failure(await this.#note(pushed.error, epoch));
  }

  /**
   * Sends the batch of which it is not known whether it has arrived, then a new one. A batch and its id are durable before
   * they are sent, and stay as they are until they are answered: the service writes each once. Spec: MOD-DATA-once.
   */
  async #pushOver(
    connection: ServiceConnection,
    kinds: PushedKinds,
    epoch: string,
  ): Promise<Result<void, ServiceFailure>> {
    const power = this.#power;
    let refused: ServiceFailure | undefined;
    for (let sent = 0; sent < 2; sent++) {
      await this.#keeper.change(epoch, (state) => withBatch(state, kinds));
      const { batch } = this.#keeper.state;
      if (!batch || power.isOff) break;
      const { id, samples, controls } = batch;
      const answer = await connection.request(dataEndpoints.write, { body: { batch: id, samples, controls } });
      if (!answer.ok && !finalRefusals.has(answer.error.code)) return answer;
      if (!answer.ok) refused = answer.error;
      await this.#keeper.change(epoch, (state) => withoutBatch(state, id));
    }
    if (power.isOff) return failure({ result: otaResults.failed, message: failureTexts.restarting, local: true });
    return refused ? failure(refused) : success(undefined);
  }

  /** Spec: MOD-OPT-cloud_sync-pull. */
  async #pullOver(connection: ServiceConnection, activation: Activation): Promise<Result<void, ServiceFailure>> {
    const pulled = await connection.request(dataEndpoints.controls, {});
    if (!pulled.ok) return pulled;
    await this.#take(activation, pulled.value);
    return success(undefined);
  }

  async #take({ epoch, capabilities }: Activation, values: readonly Datum[]): Promise<void> {
    const before = this.#keeper.state.controls;
    await this.#keeper.change(epoch, (state) => withPulled(state, values, capabilities));
    if (this.#keeper.state.controls !== before) this.#notify();
  }

  /** The service is the one to know whether the device is activated. Spec: MOD-DATA-not-activated. */
  async #note(error: ServiceFailure, epoch: string): Promise<ServiceFailure> {
    if (error.code === 'NOT_ACTIVATED' && this.#keeper.activation?.epoch === epoch) {
      await this.#keeper.deactivate(epoch);
      this.#parts.notices.lost();
    }
    return error;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const serviceRefusal = (error: ServiceFailure) => failure({ kind: 'service', error } as const);

/** Streams and controls apart, as the capabilities list them; `undefined` when a name or value is wrong. */
function sortValues(
  values: readonly WrittenValue[],
  { streams, controls }: Capabilities,
): Result<{ samples: Datum[]; controls: Datum[] }, DataRefusal> {
  const sorted = { samples: [] as Datum[], controls: [] as Datum[] };
  for (const { name, text, t } of values) {
    const stream = capabilityOf(streams, name);
    const capability = stream ?? capabilityOf(controls, name);
    if (!capability) return failure({ kind: 'invalid', name });
    const value = suitedValue(text, capability);
    if (value === undefined) return failure({ kind: 'invalid', name, problem: textProblem(text, capability) ?? '' });
    // Spec: MOD-OPT-cloud_write-timestamp: a missing time is 0, and the service gives its own.
    (stream ? sorted.samples : sorted.controls).push({ n: name, v: value, t });
  }
  return success(sorted);
}
