import { gatewayStreamsPath, otaResults, type ReportedAttributes } from '@moorage/api';
import {
  type CancelTimer,
  failure,
  ignoreFailure,
  type Random,
  type Result,
  type Store,
  success,
  Turns,
} from '@moorage/base';
import {
  type CommandOutcome,
  createDevice,
  type Datum,
  type Device,
  type DeviceChannel,
  type DeviceClient,
  type DeviceEvent,
  type DeviceFiles,
  type Installation,
  type ServiceFailure,
  type ServiceSettings,
  StoreFiles,
} from '@moorage/device';
import { answerText, type Driver, type DriverFailure } from '../driver/driver.ts';
import type { OpenPorts } from '../driver/open.ts';
import { listFiles } from '../module/files.ts';
import { parseVersionLine } from '../module/reports.ts';
import { withoutNamedSecrets } from '../module/secrets.ts';
import { pruneBackups } from './backups.ts';
import { isCut } from './journal.ts';
import { ModuleLink, type ModulePlace } from './link.ts';
import { type PushParts, push, putBack } from './push.ts';
import { Slots } from './slots.ts';
import { type Measured, measure, StreamSender } from './streams.ts';

/** An adopted module, and what stands for it at the service. */
export interface RepresentOptions {
  readonly ports: OpenPorts;
  readonly random: Random;
  /** Of this module alone. */
  readonly store: Store;
  readonly place: ModulePlace;
  readonly uuid: string;
  /** The version line that the module had when it was adopted. */
  readonly version: string;
  /** What is asked of it with each poll. */
  readonly measured?: Measured | undefined;
  readonly service: ServiceSettings;
  readonly slots: Slots;
  readonly keepBackup: PushParts['keepBackup'];
  readonly notify: (notice: ModuleNotice) => void;
}

export type ModuleNotice =
  | { readonly type: 'online' }
  | { readonly type: 'offline'; readonly why: string }
  | { readonly type: 'step'; readonly text: string }
  /** Asked for an update: its product has no bundle that is for it. */
  | { readonly type: 'no-bundle' }
  | { readonly type: 'device'; readonly event: DeviceEvent };

/** How often a module is asked how it is, and one that is away whether it is back, in ms. */
export const pollMs = 60_000;
const awayPollMs = 30_000;

/** How often its files are listed, which is a long answer, in ms; and behind each push. */
const listMs = 3_600_000;

/** Longest reason of a failed update, in characters. */
const maxProblemLength = 250;

/** Failures in a row after which a module counts as away: one answer may be lost. */
const failuresUntilAway = 2;

/** Longest wait for the service to take what a module reports, in ms. */
const reportTimeoutMs = 10_000;

/** How often a bundle is brought to a module that does not take it, until the gateway starts again. */
const maxFailures = 3;

/** Longest text of an answer, in characters: a message has to hold it. */
const maxAnswerLength = 60_000;

/** Commands whose data would follow, and their shortcuts. Over a line that has no data for them the module waits. */
const takesData: ReadonlySet<string> = new Set(
  'file_create fcr stream_write write http_upload hup udp_write smtp_send smtp http_download hdo'.split(' '),
);

/** Whether data would follow a line. Quotes make no other word of one. */
function isDataLine(line: string): boolean {
  const [first = '', second] = line.replaceAll('"', '').trim().split(/\s+/);
  return takesData.has(first) || (/^(udp_server|udps)$/.test(first) && second === 'write');
}

/** What is known of how a module is. */
interface Facts {
  readonly version: string;
  readonly uptimeS?: number | undefined;
  readonly signalDbm?: number | undefined;
  readonly ip?: string | undefined;
  readonly files?: number | undefined;
  readonly flashBytes?: number | undefined;
}

/** Stands for an adopted module at the service: to the service it is a device like any other. */
export class RepresentedModule {
  readonly #options: RepresentOptions;
  readonly #link: ModuleLink;
  readonly #parts: PushParts;
  #device: Device | undefined;
  #streams: StreamSender | undefined;
  #channel: DeviceChannel | undefined;
  #facts: Facts;
  #failures = 0;
  /** Why the module does not answer, as it was told last; `undefined` while it answers, and before it was asked. */
  #toldWhy: string | undefined;
  /** Why the last update came to nothing: its report has a code alone. */
  #updateProblem: string | undefined;
  /** When the files are listed next, by the clock that never goes back, in ms. */
  #listAtMs = Number.NEGATIVE_INFINITY;
  /** Pushes, and what puts back: never two at a time. */
  readonly #pushes = new Turns();
  #isPushing = false;
  /** The service has named a bundle since it was asked for one. */
  #isOffered = false;
  /** A backup has been taken since the service was asked for a bundle. */
  #hasBackedUp = false;
  /** Pushes of a bundle that came to nothing: each has worn the flash. */
  readonly #failed = new Map<string, number>();
  #isStopped = false;
  readonly #power = new AbortController();
  #cancelPoll: CancelTimer = () => {};

  private constructor(options: RepresentOptions, files: StoreFiles) {
    const { ports, place, store, slots, version, notify } = options;
    this.#options = options;
    this.#link = new ModuleLink(ports, place);
    const say = (text: string): void => notify({ type: 'step', text: withoutNamedSecrets(text) });
    const keepBackup: PushParts['keepBackup'] = async (name, archive) => {
      this.#hasBackedUp = true;
      await options.keepBackup(name, archive);
    };
    this.#parts = { link: this.#link, clock: ports.clock, store, slots, files, keepBackup, say };
    this.#facts = { version };
  }

  /** Reads what is kept. Nothing is asked of the module before `start`. @throws when the store fails */
  static async open(options: RepresentOptions): Promise<RepresentedModule> {
    const { ports, random, store, place, uuid, service, notify } = options;
    const own = await StoreFiles.open(store);
    const module = new RepresentedModule(options, own);
    module.#device = await createDevice({
      ...ports,
      random,
      store,
      files: stagedFiles(own),
      identity: { mac: place.mac, uuid },
      service,
      version: options.version.slice(0, 255),
      attributes: () => module.#attributes(),
      install: (update) => module.#install(update),
    });
    module.#streams = new StreamSender(module.#device, options.measured, module.#parts.say);
    module.client.onAction('file', ({ path }) => {
      if (path === gatewayStreamsPath) module.#readStreams();
    });
    module.client.onEvent((event) => {
      notify(module.#noticeOf(event));
      // What has been changed while there was no channel has been missed.
      if (event.type === 'channel' && event.open) module.#readStreams();
    });
    return module;
  }

  get client(): DeviceClient {
    if (!this.#device) throw new Error('The module is not open');
    return this.#device.client;
  }

  /** Asks the module how it is from now on, and shows it online while it answers. */
  start(): void {
    this.#plan(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#power.abort();
    this.#cancelPoll();
    this.#channel?.stop();
    this.#device?.stop();
    await this.#link.close();
  }

  #plan(afterMs: number): void {
    const { ports, random } = this.#options;
    if (this.#isStopped) return;
    // Many modules are not asked in one moment.
    const spreadMs = random.below(Math.ceil(Math.max(afterMs, 2_000) / 10));
    this.#cancelPoll = ports.clock.after(afterMs + spreadMs, () => {
      this.#poll().catch((cause: unknown) => {
        this.#away(`The store failed: ${cause}`);
        this.#plan(awayPollMs);
      });
    });
  }

  async #poll(): Promise<void> {
    if (this.#isPushing) return this.#plan(pollMs);
    const { clock } = this.#options.ports;
    const lists = clock.monotonic() >= this.#listAtMs;
    let samples: readonly Datum[] = [];
    const seen = await this.#link.use(async (driver) => {
      const facts = await readFacts(driver, lists);
      const { ports } = this.#options;
      const measured = this.#streams?.measured;
      if (!facts.ok || !measured) return facts;
      const asked = await measure(driver, measured, Math.floor(ports.clock.now() / 1000));
      if (asked.ok) samples = asked.value;
      return asked.ok ? facts : asked;
    });
    if (this.#isStopped) return;
    if (seen.ok) {
      if (seen.value.files !== undefined) this.#listAtMs = clock.monotonic() + listMs;
      const { files = this.#facts.files, flashBytes = this.#facts.flashBytes } = seen.value;
      this.#facts = { ...seen.value, files, flashBytes };
      this.#failures = 0;
      await this.#mend();
      await this.#streams?.take(samples);
      if (!this.#channel && !this.#isStopped) this.#online();
    } else {
      const { error, detail } = seen.error;
      if (error !== 'in-use') this.#failures++;
      if (this.#failures >= failuresUntilAway || !this.#channel) this.#away(detail, error !== 'resting');
    }
    this.#plan(this.#channel ? pollMs : awayPollMs);
  }

  /** After a push that was cut the module has some of the files. */
  async #mend(): Promise<void> {
    if (!(await isCut(this.#parts.store))) return;
    // Not of the shared slots: an update may hold one of them while it waits for this.
    const parts = { ...this.#parts, slots: new Slots(1) };
    ignoreFailure(await parts.slots.run(() => this.#pushing(() => putBack(parts, this.#power.signal))));
  }

  /** Reads what users want measured, and says what is wrong with it. */
  #readStreams(): void {
    const read = async (): Promise<void> => {
      await this.#streams?.read();
      await this.#report();
    };
    read().catch((cause: unknown) => this.#parts.say(`What it measures could not be read: ${cause}`));
  }

  #online(): void {
    const { random, ports, slots, notify } = this.#options;
    this.#channel = this.client.openChannel({
      random,
      clock: ports.clock,
      command: (line) => this.#command(line),
      updatesItself: () => true,
      update: (isWanted) => slots.run(async () => (isWanted() ? this.#update() : success('none'))),
      telemetry: { intervalMs: () => pollMs, onInterval: () => () => {}, send: () => this.#report() },
    });
    this.#toldWhy = undefined;
    notify({ type: 'online' });
  }

  #away(why: string, isNews = true): void {
    this.#channel?.stop();
    this.#channel = undefined;
    if (why === this.#toldWhy || (!isNews && this.#toldWhy !== undefined)) return;
    this.#toldWhy = why;
    this.#options.notify({ type: 'offline', why });
  }

  async #report(): Promise<void> {
    const { uptimeS, signalDbm, ip } = this.#facts;
    const data = { uptime: uptimeS, rssi: signalDbm, ip };
    const known = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
    const { client } = this;
    ignoreFailure(await client.channelRequest({ request: 'telemetry', data: known }, reportTimeoutMs));
    ignoreFailure(await client.channelRequest({ request: 'attributes', data: this.#attributes() }, reportTimeoutMs));
  }

  #attributes(): ReportedAttributes {
    const { version, uptimeS, signalDbm, ip, files, flashBytes } = this.#facts;
    const { name, board, version: firmware } = parseVersionLine(version);
    return {
      personality: name ?? null,
      firmware: firmware ?? null,
      board: board ?? null,
      address: ip ?? null,
      signal: signalDbm ?? null,
      uptime: uptimeS ?? null,
      files: files ?? null,
      used_flash: flashBytes ?? null,
      gateway: this.#options.place.address.slice(0, 256),
      update_problem: this.#updateProblem ?? null,
      streams_problem: this.#streams?.problem ?? null,
    };
  }

  async #command(line: string): Promise<CommandOutcome> {
    // One line is one command: the rest would run unseen.
    if (/[\r\n]/.test(line)) return failure('a command is one line');
    if (isDataLine(line)) return failure('commands with data are not passed on to a real module');
    const answered = await this.#link.use((driver) => driver.run(line));
    if (!answered.ok) return failure(answered.error.detail.slice(0, 1000));
    const data = answerText(answered.value);
    return data.length > maxAnswerLength
      ? failure('the answer is too long for a message')
      : success({ code: answered.value.code, data });
  }

  async #install(update: Installation): Promise<Result<void, ServiceFailure>> {
    const { bundleId, signal } = update;
    const failures = this.#failed.get(bundleId) ?? 0;
    this.#failed.set(bundleId, failures + 1);
    const message = `Bundle ${update.version} has failed ${failures} times and is not tried again`;
    if (failures >= maxFailures) return failure({ result: otaResults.failed, message });
    const done = await this.#pushing(async () => {
      const back = await putBack(this.#parts, signal);
      return back.ok ? push(this.#parts, update) : back;
    });
    if (done.ok) this.#failed.delete(bundleId);
    const problem = done.ok ? undefined : withoutNamedSecrets(done.error);
    this.#updateProblem = problem?.slice(0, maxProblemLength);
    // With the files that it has now.
    this.#listAtMs = Number.NEGATIVE_INFINITY;
    return problem === undefined ? success(undefined) : failure({ result: otaResults.failed, message: problem });
  }

  async #pushing<T>(task: () => Promise<T>): Promise<T> {
    return this.#pushes.run(async () => {
      this.#isPushing = true;
      try {
        return await task();
      } finally {
        this.#isPushing = false;
      }
    });
  }

  /** That there is no bundle is no failure of an update. */
  #noticeOf(event: DeviceEvent): ModuleNotice {
    if (event.type === 'ota') this.#isOffered = true;
    const hasNone = event.type === 'failed' && event.result === otaResults.notFound && !this.#isOffered;
    return hasNone ? { type: 'no-bundle' } : { type: 'device', event };
  }

  /** What the module did not take is not tried again by itself: writing wears its flash. */
  async #update(): Promise<Result<unknown, ServiceFailure>> {
    this.#isOffered = false;
    const tried = (): number => [...this.#failed.values()].reduce((sum, count) => sum + count, 0);
    const before = tried();
    this.#hasBackedUp = false;
    const updated = await this.client.ota();
    if (this.#hasBackedUp) await pruneBackups(this.client);
    return tried() > before ? success('none') : updated;
  }
}

/** Files of updates and of the identity. None of them is told to the service: each offer is to name the whole bundle. */
const stagedFiles = (own: StoreFiles): DeviceFiles => ({
  list: () => [],
  stat: (name) => own.stat(name),
  create: (file) => own.create(file),
  readAll: (name, maxBytes) => own.readAll(name, maxBytes),
  remove: (name) => own.remove(name),
});

/** How a module is; the list of its files only when it is wanted, because it is long. */
async function readFacts(driver: Driver, withFiles: boolean): Promise<Result<Facts, DriverFailure>> {
  const version = await driver.run('version');
  if (!version.ok) return version;
  const asked = async (line: string): Promise<string> => {
    const answered = await driver.run(line);
    return answered.ok && answered.value.code === 0 ? (answerText(answered.value).split('\n').at(-1) ?? '').trim() : '';
  };
  const [uptime, signal, ip] = [
    await asked('get time.uptime'),
    await asked('wlan_get_rssi'),
    await asked('get network.ip'),
  ];
  const listed = withFiles ? await listFiles(driver) : undefined;
  const files = listed?.ok ? listed.value : undefined;
  return success({
    version: parseVersionLine(answerText(version.value)).line,
    uptimeS: /^\d{1,10}$/.test(uptime) ? Number(uptime) : undefined,
    signalDbm: /^-\d{1,3}$/.test(signal) ? Number(signal) : undefined,
    ip: /^\d{1,3}(\.\d{1,3}){3}$/.test(ip) ? ip : undefined,
    files: files?.length,
    flashBytes: files?.reduce((sum, { size }) => sum + size, 0),
  });
}
