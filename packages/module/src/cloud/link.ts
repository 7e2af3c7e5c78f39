import { type DeviceInfo, type EndpointShape, otaResults, type ReplyOf, type UpdateOffer } from '@moorage/api';
import { formatVersion, isUuid, type Result, success } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import type { Store } from '../device/store.ts';
import type { LinkEvent, LinkListener } from './events.ts';
import { backOffMs, pause } from './pause.ts';
import { provision, statusOf } from './provision.ts';
import { RecordKeeper } from './record.ts';
import { type LinkFailure, type OtaResultCode, type ProvisionStatus, provisionStatus } from './results.ts';
import { calls, type ServiceClient } from './service-client.ts';
import { type LineParts, ServiceLine } from './service-line.ts';
import { installFiles, missingFiles } from './update.ts';

export type { LinkEvent, LinkListener } from './events.ts';
export type { LinkFailure, OtaResultCode, ProvisionStatus } from './results.ts';

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
  readonly #line: ServiceLine;
  readonly #listeners = new Set<LinkListener>();
  #power = new AbortController();
  #otaResult: OtaResultCode = otaResults.none;
  #offeredBundleId: string | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#keeper = new RecordKeeper(parts.store);
    this.#line = new ServiceLine(parts, this.#keeper);
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
    this.#otaResult = this.reportPending ? otaResults.updated : otaResults.none;
  }

  /** After `[Ready]`: an update that the service has not heard of is reported in the background. */
  start(): void {
    if (!this.reportPending) return;
    this.#reportUntilHeard(this.#power.signal).catch((cause: unknown) => {
      // Only the store can fail here. Nobody waits for this task, so whoever watches is told; the next boot reports again.
      this.#fail({ result: otaResults.failed, message: `The report of the update failed: ${cause}` });
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
      const claimed = await this.#line.ask(calls.claim, claim);
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
      const activated = await this.#line.ask(calls.activate, { product });
      if (activated.ok) {
        this.#emit({ type: 'activated', product: activated.value.product, bundle: activated.value.bundle });
      }
      return activated;
    });
  }

  info(): Promise<Result<DeviceInfo, LinkFailure>> {
    return this.#line.inTurn(() => this.#line.ask(calls.info, undefined));
  }

  products(): Answer<typeof calls.products> {
    return this.#line.inTurn(() => this.#line.ask(calls.products, undefined));
  }

  /**
   * Installs the bundle that the service chooses, or the one asked for. `none`: it runs already. `installed`: all files
   * are valid, and a reboot is due. Spec: MOD-CMD-ota.
   *
   * A cut at any moment leaves every file whole; asking again goes on with what is missing.
   */
  update(options: OtaOptions = {}): Promise<Result<'none' | 'installed', LinkFailure>> {
    return this.#line.inTurn(async () => {
      this.#otaResult = otaResults.none;
      const { signal } = this.#power;
      const updated = await this.#line.withClient((client) => this.#install(client, options, signal));
      if (updated.ok) {
        this.#otaResult = updated.value === 'none' ? otaResults.notRequired : otaResults.updated;
      } else {
        this.#otaResult = updated.error.result;
        this.#fail(updated.error);
      }
      return updated;
    });
  }

  /** An update with its reboot, which is over when this resolves to `updated`. */
  async ota(options: OtaOptions = {}): Promise<Result<'none' | 'updated', LinkFailure>> {
    const installed = await this.update(options);
    if (!installed.ok) return installed;
    if (installed.value === 'none') return success('none');
    await this.#parts.reboot();
    return success('updated');
  }

  async #install(
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
    if (offer.result === 'none') {
      this.#emit({ type: 'current', bundleId: offer.bundle_id, bversion: offer.bversion });
      return success('none');
    }

    const files = force ? offer.files : missingFiles(offer, flash);
    const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
    this.#emit({ type: 'ota', bundleId: offer.bundle_id, version: offer.version, totalBytes, files: files.length });
    const parts = { clock, flash, client, signal, emit: this.#emit, reconnect: () => this.#line.join() };
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
        const heard = await this.#line.inTurn(() => this.#reportRestart(signal));
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
    const reported = await this.#line.withClient((client) =>
      this.#report(client, installed.bundleId, otaResults.updated),
    );
    // A refusal is an answer, too: asking again would bring the same.
    const heard = reported.ok || isRefusal(reported.error);
    if (!heard || signal.aborted) return false;
    await this.#keeper.change({ unreported: undefined });
    if (reported.ok) this.#emit({ type: 'updated', ...installed });
    else this.#fail(reported.error);
    return true;
  }

  #runs(): string {
    return this.#keeper.record.installed?.bversion ?? this.#parts.factoryVersion();
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
