import {
  type HeldFile,
  type OtaQuery,
  otaResults,
  type ReplyOf,
  type ReportedFailure,
  type UpdateOffer,
} from '@moorage/api';
import { formatVersion, ignoreFailure, isUuid, type Result, success } from '@moorage/base';
import type { ServiceAccess } from '../access.ts';
import { endpoints, fileEndpoints, type ServiceConnection } from '../connection.ts';
import type { DeviceEventListener } from '../events.ts';
import {
  failureTexts,
  isRefusal,
  type OtaResultCode,
  ownFailure,
  type ServiceFailure,
  withStore,
} from '../failures.ts';
import { backOffMs, pause } from '../pause.ts';
import type { DeviceFiles, DevicePorts } from '../ports.ts';
import type { RecordKeeper } from '../record.ts';
import { installFiles, type ManifestFile, missingFiles } from './download.ts';

export interface OtaOptions {
  /** Fetches every file even when the bundle runs already. */
  readonly force?: boolean;
  /** Id or version of a published bundle. */
  readonly bundle?: string | undefined;
  /** Names in files: only these files of the bundle. Without any, all. */
  readonly files?: readonly string[];
}

/** What an update came to: nothing new, all files valid and a reboot due, or the files asked for without the rest. */
export type UpdateOutcome = 'none' | 'installed' | 'partial';

interface UpdaterParts
  extends Pick<
    DevicePorts,
    'clock' | 'files' | 'identity' | 'network' | 'factoryVersion' | 'attributes' | 'consent' | 'healthy' | 'install'
  > {
  readonly keeper: RecordKeeper;
  readonly access: ServiceAccess;
  readonly emit: DeviceEventListener;
}

const firstReportRetryMs = 1_000;
const longestReportRetryMs = 300_000;

/** Updates over the air, and their reports to the service. Reference: wire 3.4. */
export class Updater {
  readonly #parts: UpdaterParts;
  #result: OtaResultCode = otaResults.none;
  #offeredBundleId: string | undefined;
  /** When the installed update may restart the device, by the device's clock that never goes back. */
  #restartAtMs = 0;

  constructor(parts: UpdaterParts) {
    this.#parts = parts;
  }

  /** What the last update came to. Spec: MOD-OTA-result. */
  get result(): OtaResultCode {
    return this.#result;
  }

  /** What the service named last since the boot, else what is installed. */
  get bundleId(): string {
    return this.#offeredBundleId ?? this.#parts.keeper.record.installed?.bundleId ?? '';
  }

  /** How long the restart of the update that has been installed last has to wait for its window, in ms. */
  get restartWaitMs(): number {
    return Math.max(0, this.#restartAtMs - this.#parts.clock.monotonic());
  }

  /** The device has restarted into an update that it has not reported yet. */
  get reportPending(): boolean {
    return this.#parts.keeper.record.unreported === true;
  }

  /** What the service does not know about this boot: a new bundle runs, or an update came to nothing. */
  get hasToReport(): boolean {
    return this.reportPending || this.#parts.keeper.record.attempt !== undefined;
  }

  /** A boot; the record has been read. */
  restart(): void {
    this.#offeredBundleId = undefined;
    // The restart that an update makes is part of it: the host finds the result afterwards.
    this.#result = this.reportPending ? otaResults.updated : otaResults.none;
  }

  /** Spec: MOD-CMD-ota. */
  async update(options: OtaOptions, signal: AbortSignal): Promise<Result<UpdateOutcome, ServiceFailure>> {
    this.#result = otaResults.none;
    const updated = await this.#parts.access.withConnection((connection) => this.#install(connection, options, signal));
    if (updated.ok) {
      this.#result = updated.value === 'none' ? otaResults.notRequired : otaResults.updated;
    } else {
      this.#result = updated.error.result;
      this.#fail(updated.error);
    }
    return updated;
  }

  async #install(
    connection: ServiceConnection,
    options: OtaOptions,
    signal: AbortSignal,
  ): Promise<Result<UpdateOutcome, ServiceFailure>> {
    const { clock, consent, emit, files, keeper, access } = this.#parts;
    const { force = false, files: names = [] } = options;
    const answer = await connection.request(endpoints.query, { body: this.#query(options) });
    if (!answer.ok) return answer;
    const offer = answer.value;
    this.#offeredBundleId = offer.bundle_id;
    if (offer.next_poll_s !== undefined) emit({ type: 'poll', afterS: offer.next_poll_s });
    // Spec: MOD-OTA-none.
    if (offer.result === 'none') {
      emit({ type: 'current', bundleId: offer.bundle_id, bversion: offer.bversion });
      return success('none');
    }

    // What is asked for by name is agreed to.
    const isAsked = force || names.length > 0 || options.bundle !== undefined;
    const isSoft = offer.install?.force === 'soft' && !isAsked;
    const agreed = !isSoft || !consent || (await consent(offer.version));
    if (agreed === 'refused') {
      // As below: whether it arrives makes no difference here.
      ignoreFailure(await this.#report(connection, offer.bundle_id, otaResults.failed, { failure: 'refused' }));
    }
    if (agreed !== true) return success('none');
    this.#restartAtMs = clock.monotonic() + (offer.install?.wait_s ?? 0) * 1000;

    const wanted = namedFiles(offer, names);
    if (!wanted.ok) return wanted;
    const missing = force ? wanted.value : missingFiles(wanted.value, files);
    const totalBytes = missing.reduce((sum, file) => sum + file.size, 0);
    emit({ type: 'ota', bundleId: offer.bundle_id, version: offer.version, totalBytes, files: missing.length });
    // If the power goes before the end, the device that comes back reports it.
    if (missing.length > 0 || this.#parts.install) await keeper.change({ attempt: { bundleId: offer.bundle_id } });
    const parts = { clock, files, connection, signal, emit, reconnect: () => access.join() };
    const stored = await withStore(() => installFiles(parts, offer, missing));
    const done = stored.ok ? await withStore(() => this.#bring(connection, offer, signal)) : stored;
    if (!done.ok) {
      // A report for the service's log: whether it arrives makes no difference here.
      if (done.error.result === otaResults.failed) {
        const { kind = stored.ok ? 'install' : 'download' } = done.error;
        ignoreFailure(await this.#report(connection, offer.bundle_id, otaResults.failed, { failure: kind }));
      }
      await keeper.change({ attempt: undefined });
      return done;
    }
    // A part of a bundle is no bundle: what runs stays what it was.
    if (names.length > 0 && missingFiles(offer.files, files).length > 0) {
      await keeper.change({ attempt: undefined });
      return success('partial');
    }
    return this.#complete(connection, offer);
  }

  /** Has the files run elsewhere, where they do. */
  async #bring(
    connection: ServiceConnection,
    { bundle_id: bundleId, version, files }: UpdateOffer,
    signal: AbortSignal,
  ): Promise<Result<void, ServiceFailure>> {
    const keep = (path: string, content: Uint8Array) =>
      connection.request(fileEndpoints.upload, {
        params: { target: 'device', path },
        body: { content, mediaType: 'application/octet-stream' },
      });
    const { install } = this.#parts;
    if (!install) return success(undefined);
    return install({ bundleId, version, files, waitMs: this.restartWaitMs, signal, keep });
  }

  #query({ force = false, bundle, files: names = [] }: OtaOptions): OtaQuery {
    const { attributes, files, identity, keeper } = this.#parts;
    const installed = keeper.record.installed;
    // A file that is asked for by name is wanted although its bundle runs already.
    const offerAnyway = force || names.length > 0;
    return {
      ...(installed && { bid: installed.bundleId }),
      ...(bundle !== undefined && (isUuid(bundle) ? { bundle_id: bundle } : { version: bundle })),
      ...(offerAnyway && { force: true }),
      bversion: this.#runs(),
      mac: identity.mac,
      ...(attributes && { attributes: attributes() }),
      files: offerAnyway ? [] : heldFiles(files),
    };
  }

  /** All files are valid: says so, and remembers to say it again after the restart. Spec: MOD-OTA-reboot. */
  async #complete(connection: ServiceConnection, offer: UpdateOffer): Promise<Result<'installed', ServiceFailure>> {
    const installed = { bundleId: offer.bundle_id, bversion: offer.bversion };
    const before = this.#runs();
    // First of all: whatever happens from here on, the device comes back with the bundle.
    await this.#parts.keeper.change({ installed, unreported: true, attempt: undefined });
    // Only progress: if it gets lost, the report of the restarted device still says everything.
    ignoreFailure(await this.#report(connection, offer.bundle_id, otaResults.updated, { bversion: before }));
    this.#parts.emit({ type: 'installed', ...installed });
    return success('installed');
  }

  #report(
    connection: ServiceConnection,
    bundleId: string,
    result: OtaResultCode,
    more: { readonly bversion?: string; readonly failure?: ReportedFailure } = {},
  ): Promise<Result<ReplyOf<typeof endpoints.report>, ServiceFailure>> {
    const body = { bundle_id: bundleId, result, bversion: this.#runs(), ...more };
    return connection.request(endpoints.report, { body });
  }

  /**
   * Reports to the service what runs since the restart, until it answers. Joins by itself as long as the network has not
   * been up since the boot: who takes it down later does not want it back.
   */
  async reportUntilHeard(signal: AbortSignal): Promise<void> {
    const { clock, access, network } = this.#parts;
    let hasBeenUp = false;
    for (let attempt = 1; !signal.aborted; attempt++) {
      if (!hasBeenUp || network.isUp()) {
        const received = await access.inTurn(async () => success(await this.#reportRestart(signal)));
        if (received.ok && received.value) return;
      }
      hasBeenUp ||= network.isUp();
      if (!(await pause(clock, backOffMs(attempt, firstReportRetryMs, longestReportRetryMs), signal))) return;
    }
  }

  /** One try. True when there is nothing left to report. */
  async #reportRestart(signal: AbortSignal): Promise<boolean> {
    const { emit, healthy, keeper, access } = this.#parts;
    const { installed, unreported, attempt } = keeper.record;
    if (signal.aborted) return true;
    if (!installed || !unreported) return attempt === undefined || this.#reportAttempt(attempt.bundleId, signal);
    const works = healthy === undefined || (await healthy(installed.bversion));
    const reported = await access.withConnection((connection) =>
      works
        ? this.#report(connection, installed.bundleId, otaResults.updated)
        : this.#report(connection, installed.bundleId, otaResults.failed, { failure: 'health' }),
    );
    // A refusal is an answer, too: asking again would bring the same.
    const isReceived = reported.ok || isRefusal(reported.error);
    if (!isReceived || signal.aborted) return false;
    await keeper.change({ unreported: undefined });
    if (!reported.ok) this.#fail(reported.error);
    else if (works) emit({ type: 'updated', ...installed });
    else this.#fail({ result: otaResults.failed, message: failureTexts.unhealthy });
    return true;
  }

  /** An update was cut short, and what ran before runs again. */
  async #reportAttempt(bundleId: string, signal: AbortSignal): Promise<boolean> {
    const { keeper, access } = this.#parts;
    const reported = await access.withConnection((connection) => this.#report(connection, bundleId, otaResults.failed));
    const isReceived = reported.ok || isRefusal(reported.error);
    if (!isReceived || signal.aborted) return false;
    await keeper.change({ attempt: undefined });
    return true;
  }

  #runs(): string {
    return this.#parts.keeper.record.installed?.bversion ?? this.#parts.factoryVersion();
  }

  #fail({ result, message }: ServiceFailure): void {
    this.#parts.emit({ type: 'failed', result, message });
  }
}

/** The files of an offer that are asked for by their names in files; all without names. Spec: MOD-OTA-files. */
function namedFiles(offer: UpdateOffer, names: readonly string[]): Result<readonly ManifestFile[], ServiceFailure> {
  const unknown = names.find((name) => !offer.files.some((file) => file.local === name));
  if (unknown !== undefined) {
    return ownFailure('notInBundle', { version: offer.version, name: unknown }, otaResults.notFound);
  }
  return success(names.length === 0 ? offer.files : offer.files.filter((file) => names.includes(file.local)));
}

/** What the service may leave out of an offer. Spec: MOD-OTA-keep. */
const heldFiles = (files: DeviceFiles): HeldFile[] =>
  files.list().map((info) => ({ name: info.name, version: formatVersion(info.version), crc: info.crc }));
