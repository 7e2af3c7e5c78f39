import { type DeviceInfo, type EndpointShape, otaResults, type ReplyOf, type ServiceAction } from '@moorage/api';
import type { Store } from '@moorage/base';
import { failure, type Result, success } from '@moorage/base';
import type { Channel } from './channel.ts';
import type { RequestBody } from './channel-session.ts';
import type { LinkEvent, LinkListener } from './events.ts';
import { FileStores } from './file-stores.ts';
import { provision, statusOf } from './provision.ts';
import { RecordKeeper } from './record.ts';
import { type LinkFailure, type OtaResultCode, type ProvisionStatus, provisionStatus } from './results.ts';
import { calls, type LinkInput, type ServiceClient } from './service-client.ts';
import { type LineParts, ServiceLine } from './service-line.ts';
import { type OtaOptions, type UpdateOutcome, Updater } from './updater.ts';

export type { LinkEvent, LinkListener } from './events.ts';
export type { LinkFailure, OtaResultCode, ProvisionStatus } from './results.ts';
export type { OtaOptions, UpdateOutcome } from './updater.ts';

export interface LinkParts extends LineParts {
  readonly store: Store;
  /** Version text that the module reports while no bundle has been installed; at most 255 characters. */
  readonly factoryVersion: () => string;
  /** Stops everything volatile and boots again; comes back through `stop`, `load` and `start`. */
  readonly reboot: () => Promise<void>;
}

/** The bundle that the module runs. */
export interface Installed {
  readonly bundleId: string;
  readonly bversion: string;
  /** Four parts; `undefined` when the version text of the bundle does not end with one. */
  readonly firmwareVersion: string | undefined;
}

export type Claim =
  | { readonly username: string; readonly password: string }
  | { readonly product: string; readonly token: string };

type Answer<E extends EndpointShape> = Promise<Result<ReplyOf<E>, LinkFailure>>;

/** Takes an action that the service names on the message channel. */
export type ActionListener = (action: ServiceAction) => void;

/** The module's side of the wire to its service. Reference: wire 1.1. */
export class Link {
  readonly #parts: LinkParts;
  readonly #keeper: RecordKeeper;
  readonly #line: ServiceLine;
  readonly #updater: Updater;
  readonly #listeners = new Set<LinkListener>();
  readonly #actions = new Map<string, ActionListener>();
  #power = new AbortController();
  #channel: Channel | undefined;
  /** The files of the device and of its product, at the service. */
  readonly files: FileStores;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    const keeper = new RecordKeeper(parts.store);
    const line = new ServiceLine(parts, keeper, (failed) => this.#emit({ type: 'renewal', failed }));
    this.#keeper = keeper;
    this.#line = line;
    this.#updater = new Updater({ ...parts, keeper, line, emit: this.#emit });
    const { clock, flash } = parts;
    this.files = new FileStores({ clock, flash, line, signal: () => this.#power.signal });
  }

  /** The way to the service, for its other clients. */
  get line(): ServiceLine {
    return this.#line;
  }

  /** Value of `dms.ota_result`. Spec: MOD-OTA-result. */
  get otaResult(): OtaResultCode {
    return this.#updater.result;
  }

  /** Value of `dms.bundle_id`: what the service named last since the boot, else what is installed. */
  get bundleId(): string {
    return this.#updater.bundleId;
  }

  /** Value of `dms.provision.status`. */
  get provisionStatus(): ProvisionStatus {
    return statusOf(this.#parts.flash, this.#keeper.record);
  }

  /** The bundle that the module runs; `undefined` while it has what it left the factory with. */
  installed(): Installed | undefined {
    const { installed } = this.#keeper.record;
    // The version text ends with the firmware's label and version. Spec: API-FIELD-bundle-bversion.
    return installed && { ...installed, firmwareVersion: /-(\d+(?:\.\d+){3})$/.exec(installed.bversion)?.[1] };
  }

  /** The module has restarted into an update that the service has not heard of yet; `start` reports it. */
  get reportPending(): boolean {
    return this.#updater.reportPending;
  }

  /** Calls `listener` for every event from now on; returns how to stop. */
  onEvent(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what is kept without power. At each boot, before the version line is printed. */
  async load(): Promise<void> {
    this.#power = new AbortController();
    await this.#keeper.load();
    this.#updater.restart();
  }

  /** After `[Ready]`: an update that the service has not heard of, or one that was cut short, is reported in the background. */
  start(): void {
    if (!this.#updater.hasToReport) return;
    this.#updater.reportUntilHeard(this.#power.signal).catch((cause: unknown) => {
      // Only the store can fail here. Nobody waits for this task, so whoever watches is told; the next boot reports again.
      this.#emit({ type: 'failed', result: otaResults.failed, message: `The report of the update failed: ${cause}` });
    });
  }

  /** Before a reboot or power-off: gives up whatever runs. */
  stop(): void {
    this.#power.abort();
    this.#line.close();
  }

  /**
   * Exchanges a provisioning token for certificate and key, and acknowledges them.
   *
   * Without a token it goes on with the one it holds; with nothing to do it succeeds at once.
   *
   * @param ca PEM text of the service's authority, when the flash does not have it yet
   */
  provision(token?: string, ca?: string): Promise<Result<void, LinkFailure>> {
    const { flash, identity, insecure = false } = this.#parts;
    const ports = { line: this.#line, keeper: this.#keeper, flash, uuid: identity.uuid, insecure };
    return this.#line.inTurn(async () => {
      const before = this.provisionStatus;
      const provisioned = await provision(ports, token, ca);
      if (provisioned.ok && (token || before !== provisionStatus.complete)) this.#emit({ type: 'provisioned' });
      return provisioned;
    });
  }

  claim(claim: Claim): Answer<typeof calls.claim> {
    return this.#line.inTurn(async () => {
      const claimed = await this.#line.ask(calls.claim, { body: claim });
      if (!claimed.ok) return claimed;
      const { product, user } = claimed.value;
      this.#emit({ type: 'claimed', product, user });
      if ('token' in claim) this.#emit({ type: 'activated', product, bundle: null });
      return claimed;
    });
  }

  /** @param product full code, or the short one when the owner has no other product with it */
  activate(product: string): Answer<typeof calls.activate> {
    return this.#line.inTurn(async () => {
      const activated = await this.#line.ask(calls.activate, { body: { product } });
      if (activated.ok) {
        this.#emit({ type: 'activated', product: activated.value.product, bundle: activated.value.bundle });
      }
      return activated;
    });
  }

  info(): Promise<Result<DeviceInfo, LinkFailure>> {
    return this.call(calls.info, {});
  }

  products(): Answer<typeof calls.products> {
    return this.call(calls.products, {});
  }

  /** Makes one call of the device listener's contract, in its turn, over a connection of its own. */
  call<E extends EndpointShape>(endpoint: E, input: LinkInput<E>): Answer<E> {
    return this.#line.inTurn(() => this.#line.ask(endpoint, input));
  }

  /** Makes several calls over one connection, in their turn. */
  withClient<T>(task: (client: ServiceClient) => Promise<Result<T, LinkFailure>>): Promise<Result<T, LinkFailure>> {
    return this.#line.inTurn(() => this.#line.withClient(task));
  }

  /**
   * Installs the bundle that the service chooses, or the one asked for. `none`: it runs already. `installed`: all files
   * are valid, and a reboot is due. `partial`: the files that were asked for are valid, others of the bundle are missing.
   * Spec: MOD-CMD-ota.
   *
   * A cut at any moment leaves every file whole; asking again goes on with what is missing.
   */
  update(options: OtaOptions = {}): Promise<Result<UpdateOutcome, LinkFailure>> {
    return this.#line.inTurn(() => this.#updater.update(options, this.#power.signal));
  }

  /** An update with its reboot, which is over when this resolves to `updated`. */
  async ota(options: OtaOptions = {}): Promise<Result<'none' | 'updated' | 'partial', LinkFailure>> {
    const installed = await this.update(options);
    if (!installed.ok) return installed;
    if (installed.value !== 'installed') return success(installed.value);
    await this.#parts.reboot();
    return success('updated');
  }

  /** Asks over the message channel; the error is a text of the service, or that there is no channel. */
  request(body: RequestBody, timeoutMs: number): Promise<Result<unknown, string>> {
    return this.#channel?.request(body, timeoutMs) ?? Promise.resolve(failure('the message channel is not open'));
  }

  /** The channel that runs now, for `request`; returns how to take it away. */
  useChannel(channel: Channel): () => void {
    this.#channel = channel;
    return () => {
      if (this.#channel === channel) this.#channel = undefined;
    };
  }

  /** Whether the message channel is open. */
  get isOnline(): boolean {
    return this.#channel?.state === 'open';
  }

  /** For the channel: where the service is, with an identity that it takes. */
  channelTarget(): ReturnType<ServiceLine['target']> {
    return this.#line.inTurn(() => this.#line.target());
  }

  /** Renews the certificate if its time has come. */
  async renewIfDue(): Promise<void> {
    if (await this.#line.isRenewalDue()) await this.info();
  }

  /** Has `listener` take the actions of that name; the last one wins. Spec: MOD-CHAN-action. */
  onAction(name: string, listener: ActionListener): void {
    this.#actions.set(name, listener);
  }

  /** An action has come. One that nobody takes is told to whoever watches. */
  act(action: ServiceAction): void {
    const listener = this.#actions.get(action.action);
    if (listener) listener(action);
    else this.#emit({ type: 'action', action });
  }

  /** For the channel: its coming and going. */
  tell(event: Extract<LinkEvent, { readonly type: 'channel' }>): void {
    this.#emit(event);
  }

  readonly #emit = (event: LinkEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}
