import { randomUUID } from 'node:crypto';
import { channelCloses, type DeviceRequest, type ReportedAttributes, type ServiceAction } from '@moorage/api';
import { type CancelTimer, failure, type Result, success } from '@moorage/base';
import { type CommandFailure, type CommandOutcome, type LiveEvent, type MessageOf, topics } from '../bus/topics.ts';
import type { Deps } from '../core/types.ts';
import { asJson, writeFrame } from './codec.ts';
import { ChannelConnection } from './connection.ts';
import type { Line, LineListener } from './line.ts';
import {
  abandonedChannels,
  abandonedLimit,
  type ChannelDeviceRow,
  channelOf,
  channelsOfProcess,
  putTelemetry,
  removeDeadProcesses,
  removeProcess,
  replaceNodes,
  touchProcess,
} from './queries.ts';
import { channelRecorder, recordChannels } from './recorder.ts';

/** How often connections are looked after, and how often a process says that it is alive, in ms. */
const tendMs = 10_000;
const aliveMs = 15_000;
/** Silence after which a process counts as killed, and its devices as offline, in ms. */
const deadMs = 60_000;
/** What an answer from another process may take beyond the device's own time, in ms. */
const relayMs = 2_000;
/** Longest telemetry that is kept, as JSON. */
const telemetryLimitBytes = 16_384;

/** A device as it comes to the channel. */
export interface ChannelDevice {
  readonly id: string;
  readonly uuid: string;
  readonly title: string;
  readonly product_id: string;
}

export interface HubDeps extends Pick<Deps, 'storage' | 'clock' | 'log'> {
  /** Sends data of a device through a connector of its product; the error is a text for the device. */
  readonly webhook: (deviceId: string, code: string, data: unknown) => Promise<Result<unknown, string>>;
  /** Keeps what a device reports of itself; resolves when it is durable. */
  keepAttributes(deviceId: string, reported: ReportedAttributes, atMs: number): Promise<void>;
  /** Tells those who watch the device. */
  readonly live: { notify(deviceId: string, event: LiveEvent): void };
}

type Silent = { readonly reason: 'silent' };

interface Attached {
  readonly session: string;
  readonly device: ChannelDevice;
  readonly address: string;
  /** On the monotonic clock. */
  readonly openedAtMs: number;
  productId: string;
  /** Fingerprint of the certificate that it was opened with; none without TLS. */
  readonly certificate: string | undefined;
  readonly connection: ChannelConnection;
}

/**
 * The devices on the message channel, whichever process they are connected to. Spec: API-DEV-GET-stream,
 * API-CHAN-processes.
 */
export class ChannelHub {
  readonly #deps: HubDeps;
  readonly #process = randomUUID();
  readonly #attached = new Map<string, Attached>();
  readonly #requests = new Map<string, (outcome: Result<CommandOutcome, CommandFailure>) => void>();
  readonly #leave: readonly (() => void)[];
  #tending: CancelTimer;
  /** When this process last looked for devices of others that were killed, on the monotonic clock. */
  #clearedAtMs: number;
  #alive: CancelTimer | undefined;
  #restoring: Promise<void> | undefined;
  /** Notes channels that open and close. */
  readonly #record: ReturnType<typeof channelRecorder>;
  /** Settles when the records have this process as alive. */
  #signedOn: Promise<unknown> = Promise.resolve();
  /** What is still being written of lines that have opened or closed. */
  readonly #writing = new Set<Promise<void>>();
  #closed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#record = channelRecorder(deps.storage);
    const { bus } = deps.storage;
    this.#leave = [
      bus.subscribe(topics.channelRequest, (message) => void this.#relay(message)),
      bus.subscribe(topics.channelResponse, ({ request, outcome }) => this.#requests.get(request)?.(outcome)),
      bus.subscribe(topics.channelAction, ({ deviceId, action }) =>
        this.#attached.get(deviceId)?.connection.send(action),
      ),
      bus.subscribe(topics.channelOpened, ({ deviceId, session }) => {
        if (this.#attached.get(deviceId)?.session !== session) this.#drop(deviceId, 'replaced');
      }),
      bus.subscribe(topics.otaDue, (due) => this.#wake(due)),
      bus.subscribe(topics.deviceMoved, ({ deviceId, productId }) => {
        const attached = this.#attached.get(deviceId);
        if (attached) attached.productId = productId;
      }),
      bus.subscribe(topics.deviceRevoked, ({ deviceId }) => this.#drop(deviceId, 'refused')),
      bus.subscribe(topics.deviceRenewed, ({ deviceId, certificate }) => {
        // The device itself comes back at once with the new one; a copy of it is refused.
        if (this.#attached.get(deviceId)?.certificate !== certificate) this.#drop(deviceId, 'restarting');
      }),
    ];
    this.#clearedAtMs = deps.clock.monotonic();
    this.#tending = this.#tend();
  }

  /** Devices connected to this process. */
  get size(): number {
    return this.#attached.size;
  }

  /**
   * Takes the line of a device; the answer hears what comes over it.
   *
   * @param certificate fingerprint of the one that the device has shown
   */
  attach(device: ChannelDevice, address: string, line: Line, certificate?: string): LineListener {
    const session = randomUUID();
    const connection = new ChannelConnection(line, {
      clock: this.#deps.clock,
      answer: (request) => this.#answer(device.id, request),
      closed: () => this.#write(this.#ended(device, session)),
    });
    this.#drop(device.id, 'replaced');
    const openedAtMs = this.#deps.clock.monotonic();
    const { product_id: productId } = device;
    this.#attached.set(device.id, { session, device, address, openedAtMs, productId, certificate, connection });
    this.#deps.storage.bus.publish(topics.channelOpened, { deviceId: device.id, session });
    this.#write(this.#begun(device, session, address));
    return connection;
  }

  /** Runs a command line on a device. */
  async command(deviceId: string, data: string, timeoutMs: number): Promise<Result<CommandOutcome, CommandFailure>> {
    const here = this.#attached.get(deviceId);
    if (here) return here.connection.command(data, timeoutMs);
    const channel = await channelOf(this.#deps.storage.db, deviceId);
    if (!channel) return failure({ reason: 'offline' });
    const request = randomUUID();
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(timeoutMs + relayMs, () => settle(failure({ reason: 'silent' })));
      const settle = (outcome: Result<CommandOutcome, CommandFailure>) => {
        cancel();
        this.#requests.delete(request);
        resolve(outcome);
      };
      this.#requests.set(request, settle);
      this.#deps.storage.bus.publish(topics.channelRequest, { request, deviceId, data, timeoutMs });
    });
  }

  /** Sends a device an action, wherever it is connected. The error: it is nowhere, or why no frame takes the action. */
  async send(deviceId: string, action: ServiceAction): Promise<Result<void, Exclude<CommandFailure, Silent>>> {
    // The device may be connected elsewhere, in either of the two forms.
    for (const form of ['binary', 'text'] as const) {
      const frame = writeFrame(form, action);
      if (!frame.ok) return failure({ reason: 'refused', detail: frame.error });
    }
    const known = this.#attached.has(deviceId) || (await channelOf(this.#deps.storage.db, deviceId));
    if (!known) return failure({ reason: 'offline' });
    this.#deps.storage.bus.publish(topics.channelAction, { deviceId, action });
    return success(undefined);
  }

  /** Sends every device away, to come back to another process, and lets go. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#tending();
    this.#alive?.();
    for (const leave of this.#leave) leave();
    for (const deviceId of [...this.#attached.keys()]) this.#drop(deviceId, 'restarting');
    await Promise.all(this.#writing);
    // With the database away the row stays; other processes take this one for killed.
    await removeProcess(this.#deps.storage.background.db, this.#process).catch((error) =>
      this.#deps.log.error({ err: error }, 'A process could not be signed off'),
    );
  }

  async #answer(deviceId: string, request: DeviceRequest): Promise<Result<unknown, string>> {
    try {
      return await this.#answered(deviceId, request);
    } catch (error) {
      this.#deps.log.error({ err: error }, 'A request on the message channel failed');
      return failure('the service failed');
    }
  }

  async #answered(deviceId: string, request: DeviceRequest): Promise<Result<unknown, string>> {
    const { storage, clock, live } = this.#deps;
    switch (request.request) {
      // Spec: API-CHAN-echo.
      case 'echo':
        return success(request.data ?? null);
      // Spec: API-CHAN-webhook.
      case 'webhook': {
        // Third parties read JSON: bytes become what they are in every text of the channel.
        const data = asJson(request.data ?? null);
        if (data === undefined) return failure('the data is nested too deeply');
        return this.#deps.webhook(deviceId, request.code, JSON.parse(data));
      }
      // Spec: API-CHAN-telemetry.
      case 'telemetry': {
        const data = asJson(request.data);
        if (data === undefined || Buffer.byteLength(data) > telemetryLimitBytes) return failure('the data is too long');
        const atMs = clock.now();
        await putTelemetry(storage.db, deviceId, atMs, data);
        live.notify(deviceId, { type: 'telemetry', data: { at: String(atMs), data: JSON.parse(data) } });
        return success(null);
      }
      // Spec: API-RULE-attributes-1.
      case 'attributes':
        await this.#deps.keepAttributes(deviceId, request.data, clock.now());
        return success(null);
      // Spec: API-CHAN-nodes.
      case 'nodes':
        await storage.transaction((trx) => replaceNodes(trx, deviceId, request.data, clock.now()));
        return success(null);
    }
  }

  /** Ends the line of a device that is connected here. */
  #drop(deviceId: string, why: keyof typeof channelCloses): void {
    const attached = this.#attached.get(deviceId);
    if (!attached) return;
    this.#attached.delete(deviceId);
    attached.connection.close(channelCloses[why], why);
    // Whether or not the other side says goodbye, for us it is over.
    attached.connection.closed();
  }

  /** Notifies devices with an update due; which one it is they learn by asking. Spec: API-CHAN-wake. */
  #wake({ deviceId, productId }: { readonly deviceId?: string; readonly productId?: string }): void {
    for (const [id, attached] of this.#attached) {
      if (id === deviceId || attached.productId === productId) attached.connection.send({ action: 'ota' });
    }
  }

  async #relay({ request, deviceId, data, timeoutMs }: MessageOf<typeof topics.channelRequest>): Promise<void> {
    const here = this.#attached.get(deviceId);
    // Our own questions never come this far: who is connected here is asked directly.
    if (!here || this.#requests.has(request)) return;
    const outcome = await here.connection.command(data, timeoutMs);
    this.#deps.storage.bus.publish(topics.channelResponse, { request, outcome });
  }

  /** Online, in the records and for those who watch. Spec: API-CHAN-online. */
  async #begun(device: ChannelDevice, session: string, address: string): Promise<void> {
    const { clock, live } = this.#deps;
    await this.#stayAlive();
    const atMs = clock.now();
    const row = await this.#record({ kind: 'opened', device, session, address, processId: this.#process, atMs });
    if (row) live.notify(device.id, { type: 'online', data: { online: true, since: String(atMs) } });
    this.#recheck(device.id, session, row);
    // It may have gone before the row was there.
    if (this.#attached.get(device.id)?.session !== session) await this.#ended(device, session);
  }

  /** It may have been taken back between the check of the device and our hearing of that. */
  #recheck(deviceId: string, session: string, row: ChannelDeviceRow | undefined): void {
    const attached = this.#attached.get(deviceId);
    if (attached?.session !== session) return;
    const { certificate } = attached;
    const isGood =
      certificate === undefined ||
      certificate === row?.certificate_fingerprint ||
      certificate === row?.next_fingerprint;
    if (!row || row.state === 'disabled' || !isGood) this.#drop(deviceId, 'refused');
  }

  async #ended(device: ChannelDevice, session: string): Promise<void> {
    if (this.#attached.get(device.id)?.session === session) this.#attached.delete(device.id);
    const { clock, live } = this.#deps;
    const gone = await this.#record({ kind: 'closed', device, session, atMs: clock.now() });
    if (gone) live.notify(device.id, { type: 'online', data: { online: false, since: null } });
  }

  #write(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'The state of a channel was not recorded'))
      .finally(() => this.#writing.delete(done));
    this.#writing.add(done);
  }

  #tend(): CancelTimer {
    return this.#deps.clock.after(tendMs, () => {
      for (const { connection } of this.#attached.values()) connection.tend();
      // A process without devices looks too: it may be the one that is left, or the one that comes after a crash.
      if (this.#deps.clock.monotonic() - this.#clearedAtMs >= deadMs) this.#write(this.#clear());
      this.#tending = this.#tend();
    });
  }

  /**
   * From the first device on: a process without devices writes nothing. Resolves when the records have the process as
   * alive: its channels would be cleared away without that.
   */
  #stayAlive(): Promise<unknown> {
    if (this.#alive || this.#closed) return this.#signedOn;
    const { storage, clock } = this.#deps;
    this.#signedOn = touchProcess(storage.background.db, this.#process, clock.now());
    this.#alive = clock.after(aliveMs, () => {
      this.#alive = undefined;
      const alive =
        this.#attached.size > 0 ? this.#stayAlive() : touchProcess(storage.background.db, this.#process, clock.now());
      this.#write(this.#beat(alive));
    });
    return this.#signedOn;
  }

  async #beat(alive: Promise<unknown>): Promise<void> {
    await alive;
    // One at a time, however slow the database is.
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = undefined;
    });
    await this.#restoring;
    await this.#clear();
  }

  /**
   * Makes the records agree with who is connected here: a process that stood still for a while was taken for killed, and
   * a message between processes may get lost. A device that is elsewhere by now is there. Spec: API-CHAN-online.
   */
  async #restore(): Promise<void> {
    const { storage, clock } = this.#deps;
    const rows = await channelsOfProcess(storage.background.db, this.#process);
    const recorded = new Map(rows.map(({ device_id, session }) => [device_id, session]));
    const again: Promise<void>[] = [];
    for (const [id, attached] of [...this.#attached]) {
      const isNew = clock.monotonic() - attached.openedAtMs < aliveMs;
      if (isNew || recorded.get(id) === attached.session) continue;
      const row = await channelOf(storage.db, id);
      if (this.#attached.get(id) !== attached || row?.session === attached.session) continue;
      if (row) this.#drop(id, 'replaced');
      else again.push(this.#begun(attached.device, attached.session, attached.address));
    }
    await Promise.all(again);
  }

  #clear(): Promise<void> {
    this.#clearedAtMs = this.#deps.clock.monotonic();
    return clearAbandoned(this.#deps);
  }
}

/** Devices of processes that were killed are offline. Spec: API-CHAN-online. */
async function clearAbandoned({ storage, clock, live }: Pick<HubDeps, 'storage' | 'clock' | 'live'>): Promise<void> {
  const atMs = clock.now();
  const beforeMs = atMs - deadMs;
  for (let count = abandonedLimit; count === abandonedLimit; ) {
    const rows = await abandonedChannels(storage.background.db, beforeMs);
    const changes = rows.map(({ session, ...device }) => ({ kind: 'closed', device, session, atMs }) as const);
    const gone = rows.length > 0 ? await recordChannels(storage.background, changes) : [];
    for (const row of gone) if (row) live.notify(row.id, { type: 'online', data: { online: false, since: null } });
    count = gone.filter((row) => row !== undefined).length;
  }
  await removeDeadProcesses(storage.background.db, beforeMs);
}
