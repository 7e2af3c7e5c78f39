import {
  type BodyOf,
  type DeviceInfo,
  type EndpointShape,
  otaResults,
  type ReplyOf,
  type UpdateOffer,
} from '@moorage/api';
import { type Clock, failure, formatVersion, isUuid, type Result, success } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import type { Store } from '../device/store.ts';
import type { HttpTarget } from '../net/http.ts';
import type { Net } from '../net/ports.ts';
import type { VariableStore } from '../variables/store.ts';
import type { JoinFailure } from '../wlan/join-table.ts';
import type { LinkEvent, LinkListener } from './events.ts';
import { hasIdentity, identityFiles, storeIdentity, storePem, tlsIdentity } from './identity.ts';
import { backOffMs, pause } from './pause.ts';
import { RecordKeeper } from './record.ts';
import { joinFailure, type LinkFailure, type OtaResultCode, type ProvisionStatus, provisionStatus } from './results.ts';
import { calls, ServiceClient } from './service-client.ts';
import { installFiles, missingFiles } from './update.ts';

export type { LinkEvent, LinkListener } from './events.ts';
export type { LinkFailure, OtaResultCode, ProvisionStatus } from './results.ts';

export interface LinkParts {
  readonly clock: Clock;
  readonly net: Net;
  readonly store: Store;
  readonly flash: Flash;
  readonly identity: { readonly mac: string; readonly uuid: string };
  readonly variables: Pick<VariableStore, 'get'>;
  /** Version text that the module reports while no bundle has been installed; at most 255 characters. */
  readonly factoryVersion: () => string;
  readonly network: LinkNetwork;
  /** Plain HTTP with uuid and token headers instead of TLS: for a service with an insecure device listener. */
  readonly insecure?: boolean;
  /** Stops everything volatile and boots again; comes back through `stop`, `load` and `start`. */
  readonly reboot: () => Promise<void>;
}

/** What the link asks of the radio, on the interface that `dms.interface` names. */
export interface LinkNetwork {
  isUp(): boolean;
  ensureUp(): Promise<Result<void, JoinFailure>>;
}

/** The bundle that the module runs. */
export interface Installed {
  readonly bundleId: string;
  readonly bversion: string;
  /** Four parts; `undefined` when the version text of the bundle does not end with one. */
  readonly firmwareVersion: string | undefined;
}

export interface OtaOptions {
  /** Fetches every file even when the bundle runs already. */
  readonly force?: boolean;
  /** Id or version of a published bundle. */
  readonly bundle?: string | undefined;
}

export type Claim =
  | { readonly username: string; readonly password: string }
  | { readonly product: string; readonly token: string };

type Answer<E extends EndpointShape> = Promise<Result<ReplyOf<E>, LinkFailure>>;

const firstReportRetryMs = 1_000;
const longestReportRetryMs = 300_000;

/** The module's side of the wire to its service. Spec: reference service 6.2 to 6.6. */
export class Link {
  readonly #parts: LinkParts;
  readonly #keeper: RecordKeeper;
  readonly #listeners = new Set<LinkListener>();
  /** What runs now; exchanges with the service go one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #power = new AbortController();
  #client: ServiceClient | undefined;
  #otaResult: OtaResultCode = otaResults.none;
  #offeredBundleId: string | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#keeper = new RecordKeeper(parts.store);
  }

  /** Value of `dms.ota_result`. Spec: MOD-OTA-result. */
  get otaResult(): OtaResultCode {
    return this.#otaResult;
  }

  /** Value of `dms.bundle_id`: what the service named last since the boot, else what is installed. */
  get bundleId(): string {
    return this.#offeredBundleId ?? this.#keeper.record.installed?.bundleId ?? '';
  }

  /** Value of `dms.provision.status`. */
  get provisionStatus(): ProvisionStatus {
    const held = this.#keeper.record.token !== undefined;
    if (hasIdentity(this.#parts.flash)) return held ? provisionStatus.notAcknowledged : provisionStatus.complete;
    return held ? provisionStatus.tokenHeld : provisionStatus.noToken;
  }

  /** The bundle that the module runs; `undefined` while it has what it left the factory with. */
  installed(): Installed | undefined {
    const { installed } = this.#keeper.record;
    // The version text ends with the firmware's label and version. Spec: API-FIELD-bundle-bversion.
    return installed && { ...installed, firmwareVersion: /-(\d+(?:\.\d+){3})$/.exec(installed.bversion)?.[1] };
  }

  /** The module has restarted into an update that the service has not heard of yet; `start` reports it. */
  get reportPending(): boolean {
    return this.#keeper.record.unreported === true;
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
    this.#offeredBundleId = undefined;
    // The restart that an update makes is part of it: the host finds the result afterwards.
    this.#otaResult = this.#keeper.record.unreported ? otaResults.updated : otaResults.none;
  }

  /** After `[Ready]`: an update that the service has not heard of is reported in the background. */
  start(): void {
    if (!this.#keeper.record.unreported) return;
    this.#reportUntilHeard(this.#power.signal).catch((cause: unknown) => {
      // Only the store can fail here. Nobody waits for this task, so whoever watches is told; the next boot reports again.
      this.#fail({ result: otaResults.failed, message: `The report of the update failed: ${cause}` });
    });
  }

  /** Before a reboot or power-off: gives up whatever runs. */
  stop(): void {
    this.#power.abort();
    this.#client?.close();
  }

  /**
   * Exchanges a provisioning token for certificate and key, and acknowledges them.
   *
   * Without a token it goes on with the one it holds; with nothing to do it succeeds at once.
   *
   * @param ca PEM text of the service's authority, when the flash does not have it yet
   */
  provision(token?: string, ca?: string): Promise<Result<void, LinkFailure>> {
    return this.#inTurn(async () => {
      const { flash } = this.#parts;
      if (ca !== undefined) await storePem(flash, identityFiles.ca, ca);
      if (token) await this.#keeper.change({ token });
      if (this.provisionStatus === provisionStatus.complete) return success(undefined);
      const held = this.#keeper.record.token;
      if (!held) return failure({ result: otaResults.badRequest, message: 'There is no provisioning token' });
      // A certificate from before a power cut only needs to be acknowledged, unless the service does not know it.
      if (!token && this.provisionStatus === provisionStatus.notAcknowledged) {
        const acknowledged = await this.#acknowledge();
        if (acknowledged.ok || acknowledged.error.result !== otaResults.unauthorised) return acknowledged;
      }
      const issued = await this.#ask(calls.provision, { token: held, uuid: this.#parts.identity.uuid.toLowerCase() });
      if (!issued.ok) return issued;
      await storeIdentity(flash, issued.value);
      return this.#acknowledge();
    });
  }

  claim(claim: Claim): Answer<typeof calls.claim> {
    return this.#inTurn(async () => {
      const claimed = await this.#ask(calls.claim, claim);
      if (!claimed.ok) return claimed;
      const { product, user } = claimed.value;
      this.#emit({ type: 'claimed', product, user });
      if ('token' in claim) this.#emit({ type: 'activated', product, bundle: null });
      return claimed;
    });
  }

  /** @param product full code, or the short one when the owner has no other product with it */
  activate(product: string): Answer<typeof calls.activate> {
    return this.#inTurn(async () => {
      const activated = await this.#ask(calls.activate, { product });
      if (activated.ok) {
        this.#emit({ type: 'activated', product: activated.value.product, bundle: activated.value.bundle });
      }
      return activated;
    });
  }

  info(): Promise<Result<DeviceInfo, LinkFailure>> {
    return this.#inTurn(() => this.#ask(calls.info, undefined));
  }

  products(): Answer<typeof calls.products> {
    return this.#inTurn(() => this.#ask(calls.products, undefined));
  }

  /**
   * Brings the module to the bundle that the service chooses, or to the one asked for. `none`: it runs already.
   * `updated`: all files are valid, and the module has restarted before this resolves. Spec: MOD-CMD-ota.
   *
   * A cut at any moment leaves every file whole; asking again goes on with what is missing.
   */
  ota(options: OtaOptions = {}): Promise<Result<'none' | 'updated', LinkFailure>> {
    return this.#inTurn(async () => {
      this.#otaResult = otaResults.none;
      const { signal } = this.#power;
      const updated = await this.#withClient((client) => this.#update(client, options, signal));
      if (!updated.ok) {
        this.#otaResult = updated.error.result;
        this.#fail(updated.error);
        return updated;
      }
      if (updated.value === 'none') {
        this.#otaResult = otaResults.notRequired;
        return success('none');
      }
      await this.#parts.reboot();
      return success('updated');
    });
  }

  async #update(
    client: ServiceClient,
    { force = false, bundle }: OtaOptions,
    signal: AbortSignal,
  ): Promise<Result<'none' | 'installed', LinkFailure>> {
    const { clock, flash, identity } = this.#parts;
    const installed = this.#keeper.record.installed;
    const answer = await client.call(calls.query, {
      ...(installed && { bid: installed.bundleId }),
      ...(bundle !== undefined && (isUuid(bundle) ? { bundle_id: bundle } : { version: bundle })),
      ...(force && { force }),
      bversion: this.#runs(),
      mac: identity.mac,
      files: force ? [] : heldFiles(flash),
    });
    if (!answer.ok) return answer;
    const offer = answer.value;
    this.#offeredBundleId = offer.bundle_id;
    // Spec: MOD-OTA-none.
    if (offer.result === 'none') return success('none');

    const files = force ? offer.files : missingFiles(offer, flash);
    const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
    this.#emit({ type: 'ota', bundleId: offer.bundle_id, version: offer.version, totalBytes, files: files.length });
    const parts = { clock, flash, client, signal, emit: this.#emit, reconnect: () => this.#join() };
    const done = await installFiles(parts, offer, files);
    if (!done.ok) {
      // The service may as well know why; whether it hears it makes no difference here.
      if (done.error.result === otaResults.failed) await this.#report(client, offer.bundle_id, otaResults.failed);
      return done;
    }
    return this.#complete(client, offer);
  }

  /** All files are valid: says so, and remembers to say it again after the restart. Spec: MOD-OTA-reboot. */
  async #complete(client: ServiceClient, offer: UpdateOffer): Promise<Result<'installed', LinkFailure>> {
    // Only progress: if it gets lost, the report of the restarted module still tells everything.
    await this.#report(client, offer.bundle_id, otaResults.updated);
    const installed = { bundleId: offer.bundle_id, bversion: offer.bversion };
    await this.#keeper.change({ installed, unreported: true });
    this.#emit({ type: 'installed', ...installed });
    return success('installed');
  }

  #report(client: ServiceClient, bundleId: string, result: OtaResultCode): Answer<typeof calls.report> {
    return client.call(calls.report, { bundle_id: bundleId, result, bversion: this.#runs() });
  }

  /**
   * Tells the service what runs since the restart, until it answers. Joins by itself as long as the network has not
   * been up since the boot: who takes it down later does not want it back.
   */
  async #reportUntilHeard(signal: AbortSignal): Promise<void> {
    let hasBeenUp = false;
    for (let attempt = 1; !signal.aborted; attempt++) {
      if (!hasBeenUp || this.#parts.network.isUp()) {
        const heard = await this.#inTurn(() => this.#reportRestart(signal));
        if (heard) return;
      }
      hasBeenUp ||= this.#parts.network.isUp();
      if (!(await pause(this.#parts.clock, backOffMs(attempt, firstReportRetryMs, longestReportRetryMs), signal)))
        return;
    }
  }

  /** One try. True when there is nothing left to report. */
  async #reportRestart(signal: AbortSignal): Promise<boolean> {
    const { installed, unreported } = this.#keeper.record;
    if (signal.aborted || !installed || !unreported) return true;
    const reported = await this.#withClient((client) => this.#report(client, installed.bundleId, otaResults.updated));
    // A refusal is an answer, too: asking again would bring the same.
    const heard = reported.ok || isRefusal(reported.error);
    if (!heard || signal.aborted) return false;
    await this.#keeper.change({ unreported: undefined });
    if (reported.ok) this.#emit({ type: 'updated', ...installed });
    else this.#fail(reported.error);
    return true;
  }

  async #acknowledge(): Promise<Result<void, LinkFailure>> {
    const acknowledged = await this.#ask(calls.acknowledge, undefined);
    if (!acknowledged.ok) return acknowledged;
    await this.#keeper.change({ token: undefined });
    this.#emit({ type: 'provisioned' });
    return success(undefined);
  }

  #runs(): string {
    return this.#keeper.record.installed?.bversion ?? this.#parts.factoryVersion();
  }

  #ask<E extends EndpointShape>(endpoint: E, body: BodyOf<E>): Answer<E> {
    return this.#withClient((client) => client.call(endpoint, body));
  }

  async #join(): Promise<Result<void, LinkFailure>> {
    const joined = await this.#parts.network.ensureUp();
    return joined.ok ? joined : failure(joinFailure(joined.error));
  }

  /** Joins if need be, and makes calls over one connection. Spec: MOD-NET-auto-up. */
  async #withClient<T>(
    task: (client: ServiceClient) => Promise<Result<T, LinkFailure>>,
  ): Promise<Result<T, LinkFailure>> {
    const joined = await this.#join();
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

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(task, task);
    // A failed task must not be a rejection that nobody handles.
    this.#turn = done.catch(() => {});
    return done;
  }

  #fail({ result, message }: LinkFailure): void {
    this.#emit({ type: 'failed', result, message });
  }

  readonly #emit = (event: LinkEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };
}

const isRefusal = ({ result }: LinkFailure): boolean =>
  result === otaResults.unauthorised || result === otaResults.badRequest || result === otaResults.notFound;

/** What the service may leave out of an offer. Spec: MOD-OTA-keep. */
const heldFiles = (flash: Flash) =>
  flash.list().map((info) => ({ name: info.name, version: formatVersion(info.version), crc: info.crc }));
