import { type DeviceInfo, type EndpointShape, otaResults, type ReplyOf, type ServiceAction } from '@moorage/api';
import { failure, ignoreFailure, type Result, success } from '@moorage/base';
import { ServiceAccess } from './access.ts';
import { type ChannelPorts, DeviceChannel } from './channel/device-channel.ts';
import type { RequestBody } from './channel/session.ts';
import { endpoints, type RequestInput, type ServiceConnection } from './connection.ts';
import type { DeviceEvent, DeviceEventListener } from './events.ts';
import { type OtaResultCode, type ProvisionStatus, provisionStatus, type ServiceFailure } from './failures.ts';
import type { DevicePorts } from './ports.ts';
import { provision, statusOf } from './provision.ts';
import { RecordKeeper } from './record.ts';
import { RemoteFiles } from './remote-files.ts';
import { type OtaOptions, type UpdateOutcome, Updater } from './update/updater.ts';

/** The bundle that the device runs. */
export interface Installed {
  readonly bundleId: string;
  readonly bversion: string;
  /** Four parts; `undefined` when the version text of the bundle does not end with one. */
  readonly firmwareVersion: string | undefined;
}

export type Claim =
  | { readonly username: string; readonly password: string }
  | { readonly product: string; readonly token: string };

type Response<E extends EndpointShape> = Promise<Result<ReplyOf<E>, ServiceFailure>>;

/** Takes an action that the service names on the message channel. */
export type ActionListener = (action: ServiceAction) => void;

/**
 * A device's client of the service: identity, ownership, updates, files and the message channel. Requests are made one
 * after another. Call `load` and then `start` at each boot, `stop` before the power goes. Reference: wire 1.1.
 */
export class DeviceClient {
  readonly #parts: DevicePorts;
  readonly #keeper: RecordKeeper;
  readonly #access: ServiceAccess;
  readonly #updater: Updater;
  readonly #listeners = new Set<DeviceEventListener>();
  readonly #actions = new Map<string, ActionListener>();
  #power = new AbortController();
  #channel: DeviceChannel | undefined;
  /** The files of the device and of its product, at the service. */
  readonly files: RemoteFiles;

  constructor(parts: DevicePorts) {
    this.#parts = parts;
    const keeper = new RecordKeeper(parts.store);
    const access = new ServiceAccess(parts, keeper, (failed) => this.#emit({ type: 'renewal', failed }));
    this.#keeper = keeper;
    this.#access = access;
    this.#updater = new Updater({ ...parts, keeper, access, emit: this.#emit });
    const { clock, files } = parts;
    this.files = new RemoteFiles({ clock, files, access, signal: () => this.#power.signal });
  }

  /** What the last update came to. Spec: MOD-OTA-result. */
  get otaResult(): OtaResultCode {
    return this.#updater.result;
  }

  /** Id of the bundle that the service named last since the boot, else of what is installed; empty without either. */
  get bundleId(): string {
    return this.#updater.bundleId;
  }

  /** How long the restart of the update that has been installed last has to wait for its window, in ms. */
  get restartWaitMs(): number {
    return this.#updater.restartWaitMs;
  }

  /** How far provisioning has come. */
  get provisionStatus(): ProvisionStatus {
    return statusOf(this.#parts.files, this.#keeper.record);
  }

  /** The bundle that the device runs; `undefined` while it has what it left the factory with. */
  installed(): Installed | undefined {
    const { installed } = this.#keeper.record;
    // The version text ends with the firmware's label and version. Spec: API-FIELD-bundle-bversion.
    return installed && { ...installed, firmwareVersion: /-(\d+(?:\.\d+){3})$/.exec(installed.bversion)?.[1] };
  }

  /** The device has restarted into an update that it has not reported yet; `start` reports it. */
  get reportPending(): boolean {
    return this.#updater.reportPending;
  }

  /** Calls `listener` for every event from now on; returns how to stop. */
  onEvent(listener: DeviceEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what is kept without power. At each boot, first of all. */
  async load(): Promise<void> {
    this.#power = new AbortController();
    await this.#keeper.load();
    this.#updater.restart();
  }

  /** The boot is over: an update that has not been reported, or one that was cut short, is reported in the background. */
  start(): void {
    if (!this.#updater.hasToReport) return;
    this.#updater.reportUntilHeard(this.#power.signal).catch((cause: unknown) => {
      // `healthy` of the program has thrown. No caller waits for this task, so the failure is an event; the next boot reports again.
      this.#emit({ type: 'failed', result: otaResults.failed, message: `The report of the update failed: ${cause}` });
    });
  }

  /** Before a reboot or power-off: gives up what runs. */
  stop(): void {
    this.#power.abort();
    this.#access.close();
  }

  /**
   * Exchanges a provisioning token for certificate and key, and acknowledges them.
   *
   * Without a token it goes on with the one it holds; with nothing to do it succeeds at once.
   *
   * @param ca PEM text of the service's authority, when the device does not have it yet
   */
  provision(token?: string, ca?: string): Promise<Result<void, ServiceFailure>> {
    const { files, identity, service } = this.#parts;
    const { insecure = false } = service();
    const ports = { access: this.#access, keeper: this.#keeper, files, uuid: identity.uuid, insecure };
    return this.#access.inTurn(async () => {
      const before = this.provisionStatus;
      const provisioned = await provision(ports, token, ca);
      if (provisioned.ok && (token || before !== provisionStatus.complete)) this.#emit({ type: 'provisioned' });
      return provisioned;
    });
  }

  /** Gives the device an owner; with an activation token it gets its product as well. */
  claim(claim: Claim): Response<typeof endpoints.claim> {
    return this.#access.inTurn(async () => {
      const claimed = await this.#access.request(endpoints.claim, { body: claim });
      if (!claimed.ok) return claimed;
      const { product, user } = claimed.value;
      this.#emit({ type: 'claimed', product, user });
      if ('token' in claim) this.#emit({ type: 'activated', product, bundle: null });
      return claimed;
    });
  }

  /** Gives the device its product. @param product full code, or the short one when the owner has no other product with it */
  activate(product: string): Response<typeof endpoints.activate> {
    return this.#access.inTurn(async () => {
      const activated = await this.#access.request(endpoints.activate, { body: { product } });
      if (activated.ok) {
        this.#emit({ type: 'activated', product: activated.value.product, bundle: activated.value.bundle });
      }
      return activated;
    });
  }

  /** What the service knows of the device. */
  info(): Promise<Result<DeviceInfo, ServiceFailure>> {
    return this.request(endpoints.info, {});
  }

  /** Products that the device can be activated for. */
  products(): Response<typeof endpoints.products> {
    return this.request(endpoints.products, {});
  }

  /** Makes one request of the device listener's contract, in its turn, over a connection of its own. */
  request<E extends EndpointShape>(endpoint: E, input: RequestInput<E>): Response<E> {
    return this.#access.inTurn(() => this.#access.request(endpoint, input));
  }

  /** Makes several requests over one connection, in their turn. */
  withConnection<T>(
    task: (connection: ServiceConnection) => Promise<Result<T, ServiceFailure>>,
  ): Promise<Result<T, ServiceFailure>> {
    return this.#access.inTurn(() => this.#access.withConnection(task));
  }

  /**
   * Installs the bundle that the service chooses, or the one asked for. `none`: it runs already. `installed`: all files
   * are valid, and a reboot is due. `partial`: the files that were asked for are valid, others of the bundle are missing.
   * Spec: MOD-CMD-ota.
   *
   * A cut at any moment leaves every file whole, and so does the signal; asking again goes on with what is missing.
   */
  update(options: OtaOptions = {}, signal?: AbortSignal): Promise<Result<UpdateOutcome, ServiceFailure>> {
    return this.#access.inTurn(() => {
      const power = this.#power.signal;
      return this.#updater.update(options, signal ? AbortSignal.any([power, signal]) : power);
    });
  }

  /** An update with its reboot, which is over when this resolves to `updated`. */
  async ota(options: OtaOptions = {}): Promise<Result<'none' | 'updated' | 'partial', ServiceFailure>> {
    const installed = await this.update(options);
    if (!installed.ok) return installed;
    if (installed.value !== 'installed') return success(installed.value);
    await this.#parts.reboot();
    return success('updated');
  }

  /**
   * Opens the message channel, and opens it again whenever it ends; the device has one at a time. The channel is stopped
   * by its own `stop`. Spec: MOD-CHAN-open.
   */
  openChannel(ports: ChannelPorts): DeviceChannel {
    const channel = new DeviceChannel({
      ...ports,
      attributes: this.#parts.attributes,
      net: this.#parts.net,
      ownClock: this.#parts.clock,
      target: () => this.#access.inTurn(() => this.#access.target()),
      renewIfDue: () => this.#renewIfDue(),
      contact: async () => ignoreFailure(await this.info()),
      onEvent: (listener) => this.onEvent(listener),
      emit: this.#emit,
      act: (action) => this.act(action),
      stopped: () => {
        if (this.#channel === channel) this.#channel = undefined;
      },
    });
    this.#channel = channel;
    return channel;
  }

  /** Makes a request over the message channel; the error is a text of the service, or that there is no channel. */
  channelRequest(body: RequestBody, timeoutMs: number): Promise<Result<unknown, string>> {
    return this.#channel?.request(body, timeoutMs) ?? Promise.resolve(failure('the message channel is not open'));
  }

  /** Whether the message channel is open. */
  get isOnline(): boolean {
    return this.#channel?.isOpen ?? false;
  }

  /** Has `listener` take the actions of that name; the last one wins. Spec: MOD-CHAN-action. */
  onAction(name: string, listener: ActionListener): void {
    this.#actions.set(name, listener);
  }

  /** An action of the message channel has come. One without a listener is an event. */
  act(action: ServiceAction): void {
    const listener = this.#actions.get(action.action);
    if (listener) listener(action);
    else this.#emit({ type: 'action', action });
  }

  /** Any request renews a certificate whose time has come. */
  async #renewIfDue(): Promise<void> {
    // One that fails is made again by the next request.
    if (await this.#access.isRenewalDue()) ignoreFailure(await this.info());
  }

  readonly #emit = (event: DeviceEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}
