import { createHash } from 'node:crypto';
import { type Capabilities, type EndpointShape, otaResults, type ReplyOf } from '@moorage/api';
import type { Store } from '@moorage/base';
import { type Clock, failure, type Random, type Result, success } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import type { VariableStore } from '../variables/store.ts';
import { readCapabilities } from './data-capabilities.ts';
import { DataKeeper } from './data-keeper.ts';
import {
  type Activation,
  controlsText,
  controlValue,
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
} from './data-state.ts';
import { capabilityOf, type Datum, datumBytes, suitedValue, timedText, type WrittenValue } from './data-values.ts';
import type { LinkFailure } from './results.ts';
import { dataCalls, type LinkInput, type ServiceClient } from './service-client.ts';
import type { ServiceLine } from './service-line.ts';

/** Why the data cloud does not do what it was asked. */
export type DataRefusal =
  | { readonly kind: 'not-activated' | 'already-activated' | 'no-capabilities' | 'invalid' | 'overflow' }
  | { readonly kind: 'no-file' | 'malformed'; readonly detail: string }
  | { readonly kind: 'link'; readonly error: LinkFailure };

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What the module says of its own accord. */
export interface DataNotices {
  /** The service does not know of the activation any more. */
  lost(): void;
  /** That many samples went where there was no room. */
  dropped(count: number): void;
  /** Samples stay in the cache for now. */
  notPushed(error: LinkFailure): void;
}

export interface DataParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly flash: Flash;
  readonly line: ServiceLine;
  readonly variables: Pick<VariableStore, 'get' | 'set' | 'onChange'>;
  /** Version text of the program. */
  readonly version: () => string;
  readonly notices: DataNotices;
}

type Answer<T> = Promise<Result<T, DataRefusal>>;

const all: PushedKinds = { samples: true, controls: true };

/** Refusals that would meet a batch again and again. */
const finalRefusals: ReadonlySet<string | undefined> = new Set(['INVALID_REQUEST', 'UNKNOWN_DATA', 'WRONG_VALUE']);

/** The module's side of the data cloud: activation, cached samples, controls. Reference: data-cloud 1.1. */
export class DataCloud {
  readonly #parts: DataParts;
  readonly #keeper: DataKeeper;
  readonly #listeners = new Set<() => void>();
  /** Of this boot; what an earlier one left running looks at its own. */
  #power = { isOff: false };

  constructor(parts: DataParts) {
    this.#parts = parts;
    this.#keeper = new DataKeeper(parts.store);
    parts.variables.onChange('cloud.capabilities', () => this.#keepName());
  }

  /** Value of `cloud.status`. Spec: MOD-VAR-cloud.status. */
  get activated(): boolean {
    return this.#keeper.activation !== undefined;
  }

  /** What the module has told the service that it can do; `undefined` while it is not activated. */
  get capabilities(): Capabilities | undefined {
    return this.#keeper.activation?.capabilities;
  }

  /** Reads what is kept without power. At each boot, after the variables. */
  async load(): Promise<void> {
    this.#power = { isOff: false };
    await this.#keeper.load();
    this.#keepName();
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
   * Binds the module to an account of the service, with what a capabilities file says that it can do.
   * Spec: MOD-CMD-cloud_activate, MOD-AUTH-7.
   *
   * @param file name in flash; what `cloud.capabilities` names without it
   */
  async activate(login: Login, file = this.#parts.variables.get('cloud.capabilities')): Answer<void> {
    const { clock, flash, line, random, variables, version } = this.#parts;
    if (this.activated) return failure({ kind: 'already-activated' });
    if (file === '') return failure({ kind: 'no-capabilities' });
    const capabilities = await readCapabilities(flash, file);
    if (!capabilities.ok) return capabilities;
    const body = { ...login, version: version(), capabilities: capabilities.value };
    const activated = await line.inTurn(() =>
      line.withClient(async (client) => {
        const first = await client.call(dataCalls.activate, { body });
        if (first.ok || first.error.code !== 'ALREADY_ACTIVATED') return first;
        // The answer to an earlier try has been lost, or the flash: the module begins anew.
        const ended = await client.call(dataCalls.deactivate, { body: login });
        return ended.ok ? client.call(dataCalls.activate, { body }) : ended;
      }),
    );
    if (!activated.ok) return linkRefusal(activated.error);
    // No batch of this activation may have the id of an earlier one, even if the flash has been lost in between.
    const epoch = clock.now().toString(16).padStart(12, '0') + Buffer.from(random.bytes(2)).toString('hex');
    await this.#keeper.activate({ file, capabilities: capabilities.value, epoch: epoch.slice(-16) });
    // Spec: MOD-OPT-cloud_activate-capabilities.
    variables.set('cloud.capabilities', file);
    return success(undefined);
  }

  /** Pushes what is cached, then undoes the activation. Spec: MOD-CMD-cloud_deactivate. */
  async deactivate(login: Login): Answer<void> {
    const { line } = this.#parts;
    const epoch = this.#keeper.activation?.epoch;
    const ended = await line.inTurn(() =>
      line.withClient(async (client) => {
        if (epoch !== undefined) {
          const pushed = await this.#pushOver(client, all, epoch);
          // What the service refuses for good does not keep the module activated.
          if (!pushed.ok && pushed.error.result !== otaResults.badRequest) return pushed;
        }
        return client.call(dataCalls.deactivate, { body: login });
      }),
    );
    const isOver = ended.ok || (epoch !== undefined && ended.error.code === 'NOT_ACTIVATED');
    if (isOver && epoch !== undefined) await this.#keeper.deactivate(epoch);
    return ended.ok || isOver ? success(undefined) : linkRefusal(ended.error);
  }

  /**
   * Caches samples and pushes controls. Samples are durable when this resolves, whatever becomes of a push: one that
   * fails keeps the cache, and the oldest go only when that is full. Spec: MOD-CMD-cloud_write.
   */
  async write(values: readonly WrittenValue[]): Answer<void> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const sorted = sortValues(values, activation.capabilities);
    if (!sorted) return failure({ kind: 'invalid' });
    const { samples, controls } = sorted;
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
    return pushed.ok ? pushed : linkRefusal(pushed.error);
  }

  /** Puts samples into the cache that the module has taken by itself. */
  async sample(samples: readonly Datum[]): Promise<void> {
    const { activation } = this.#keeper;
    if (activation && samples.length > 0) await this.#add(activation, samples, []);
  }

  /** Controls out of the cache, as texts: one, or all. Never touches the network. Spec: MOD-CMD-cloud_read. */
  read(name?: string): Result<string, DataRefusal> {
    const { activation, state } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { capabilities } = activation;
    if (name === undefined) return success(controlsText(state, capabilities));
    if (capabilityOf(capabilities.controls, name) === undefined) return failure({ kind: 'invalid' });
    const value = controlValue(state, capabilities, name);
    return success(value ? timedText(value) : '');
  }

  /** Value of a control; `undefined` when it has none. */
  control(name: string): Datum['v'] | undefined {
    const { activation, state } = this.#keeper;
    return activation && controlValue(state, activation.capabilities, name)?.v;
  }

  /** Exchanges samples and controls with the service. Spec: MOD-CMD-cloud_sync. Reference: data-cloud 3.2. */
  async sync(direction: 'push' | 'pull' | 'both'): Answer<void> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { line } = this.#parts;
    // Spec: MOD-OPT-cloud_sync-push.
    if (direction === 'push') {
      const pushed = await this.#push(all, activation);
      return pushed.ok ? pushed : linkRefusal(pushed.error);
    }
    const synced = await line.inTurn(() =>
      line.withClient(async (client) => {
        const pushed = direction === 'pull' ? success(undefined) : await this.#pushOver(client, all, activation.epoch);
        return pushed.ok ? this.#pullOver(client, activation) : pushed;
      }),
    );
    return synced.ok ? synced : linkRefusal(await this.#note(synced.error, activation.epoch));
  }

  /** Takes values of controls that the service has sent by itself, by the rules of a pull. */
  async applyControls(values: readonly PushedControl[]): Promise<void> {
    const { activation } = this.#keeper;
    const timed = values.map(({ n, v, t = 0 }) => ({ n, v, t }));
    if (activation) await this.#take(activation, timed);
  }

  /** Makes one call that needs an activation. */
  async ask<E extends EndpointShape>(endpoint: E, input: LinkInput<E>): Answer<ReplyOf<E>> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { line } = this.#parts;
    const answer = await line.inTurn(() => line.ask(endpoint, input));
    return answer.ok ? answer : linkRefusal(await this.#note(answer.error, activation.epoch));
  }

  /**
   * Posts a message. When nobody knows whether one has arrived, the same text posted again soon after arrives once;
   * that holds over restarts. Spec: MOD-DATA-once, MOD-OPT-cloud_message-post.
   */
  async post(data: string): Answer<ReplyOf<typeof dataCalls.post>> {
    const { activation } = this.#keeper;
    if (!activation) return failure({ kind: 'not-activated' });
    const { epoch } = activation;
    const digest = createHash('sha256').update(data).digest('base64');
    await this.#keeper.change(epoch, (state) => withPost(state, digest, this.#parts.clock.now()));
    const key = this.#keeper.state.post?.key;
    const posted = await this.ask(dataCalls.post, { body: { data, ...(key !== undefined && { key }) } });
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
    if (added && controls.length > 0) this.#tell();
    return added;
  }

  /** Needs no network when there is nothing to push. */
  async #push(kinds: PushedKinds, { epoch }: Activation): Promise<Result<void, LinkFailure>> {
    const { line } = this.#parts;
    if (!hasUnpushed(this.#keeper.state, kinds)) return success(undefined);
    const pushed = await line.inTurn(() => line.withClient((client) => this.#pushOver(client, kinds, epoch)));
    return pushed.ok ? pushed : failure(await this.#note(pushed.error, epoch));
  }

  /**
   * Sends the batch of which nobody knows whether it has arrived, then a new one. A batch and its id are durable before
   * they are sent, and stay as they are until they are answered: the service writes each once. Spec: MOD-DATA-once.
   */
  async #pushOver(client: ServiceClient, kinds: PushedKinds, epoch: string): Promise<Result<void, LinkFailure>> {
    const power = this.#power;
    let refused: LinkFailure | undefined;
    for (let sent = 0; sent < 2; sent++) {
      await this.#keeper.change(epoch, (state) => withBatch(state, kinds));
      const { batch } = this.#keeper.state;
      if (!batch || power.isOff) break;
      const { id, samples, controls } = batch;
      const answer = await client.call(dataCalls.write, { body: { batch: id, samples, controls } });
      if (!answer.ok && !finalRefusals.has(answer.error.code)) return answer;
      if (!answer.ok) refused = answer.error;
      await this.#keeper.change(epoch, (state) => withoutBatch(state, id));
    }
    if (power.isOff) return failure({ result: otaResults.failed, message: 'The module restarts', printed: true });
    return refused ? failure(refused) : success(undefined);
  }

  /** Spec: MOD-OPT-cloud_sync-pull. */
  async #pullOver(client: ServiceClient, activation: Activation): Promise<Result<void, LinkFailure>> {
    const pulled = await client.call(dataCalls.controls, {});
    if (!pulled.ok) return pulled;
    await this.#take(activation, pulled.value);
    return success(undefined);
  }

  async #take({ epoch, capabilities }: Activation, values: readonly Datum[]): Promise<void> {
    const before = this.#keeper.state.controls;
    await this.#keeper.change(epoch, (state) => withPulled(state, values, capabilities));
    if (this.#keeper.state.controls !== before) this.#tell();
  }

  /** The service is the one to know whether the module is activated. Spec: MOD-DATA-not-activated. */
  async #note(error: LinkFailure, epoch: string): Promise<LinkFailure> {
    if (error.code === 'NOT_ACTIVATED' && this.#keeper.activation?.epoch === epoch) {
      await this.#keeper.deactivate(epoch);
      this.#parts.notices.lost();
    }
    return error;
  }

  /** The name of the file is fixed from activation on, whatever is loaded or reset. Spec: MOD-OPT-cloud_capabilities-readonly. */
  #keepName(): void {
    const { variables } = this.#parts;
    const file = this.#keeper.activation?.file;
    if (file !== undefined && variables.get('cloud.capabilities') !== file) variables.set('cloud.capabilities', file);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const linkRefusal = (error: LinkFailure) => failure({ kind: 'link', error } as const);

/** Streams and controls apart, as the capabilities list them; `undefined` when a name or value is wrong. */
function sortValues(values: readonly WrittenValue[], { streams, controls }: Capabilities) {
  const sorted = { samples: [] as Datum[], controls: [] as Datum[] };
  for (const { name, text, t } of values) {
    const stream = capabilityOf(streams, name);
    const capability = stream ?? capabilityOf(controls, name);
    const value = capability && suitedValue(text, capability);
    if (value === undefined) return undefined;
    // Spec: MOD-OPT-cloud_write-timestamp: a missing time is 0, and the service gives its own.
    (stream ? sorted.samples : sorted.controls).push({ n: name, v: value, t });
  }
  return sorted;
}
