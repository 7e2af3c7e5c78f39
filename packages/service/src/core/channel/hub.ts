import { randomUUID } from 'node:crypto';
import {
  channelCloses,
  type DeviceRequest,
  type ReportedAttributes,
  requestWrites,
  type ServiceAction,
} from '@moorage/api';
import { type CancelTimer, failure, type Result, sleep, success } from '@moorage/base';
import { type CommandFailure, type CommandOutcome, type LiveEvent, topics } from '../../engine/bus/topics.ts';
import type { Deps } from '../../engine/http/types.ts';
import { clearAbandoned } from './abandoned.ts';
import { asJson, writeFrame } from './codec.ts';
import { sendBack } from './come-back.ts';
import { Heard, type RecordedChannel, type Records, readRecords } from './compare.ts';
import { ChannelConnection } from './connection.ts';
import { ProcessLease } from './lease.ts';
import type { Line, LineListener } from './line.ts';
import { type ChannelDeviceRow, channelOf, putTelemetry, replaceNodes } from './queries.ts';
import { channelRecorder } from './recorder.ts';
import { CommandRelay } from './relay.ts';
import { WakeQueue, type WakeQueuePorts } from './wake-queue.ts';

/** How often connections are looked after and compared with the records, in ms. */
const tendMs = 10_000;
/** Channels that are sent away at once when the process stops, the pause until the next, in ms, and how many there are. */
const drainBatch = 100;
const drainPauseMs = 50;
const drainBatches = 40;
/** Longest telemetry that is kept, as JSON. */
const telemetryLimitBytes = 16_384;

/** A device as it comes to the channel. */
export interface ChannelDevice {
  readonly id: string;
  readonly uuid: string;
  readonly title: string;
  readonly product_id: string;
}

export interface HubDeps extends Pick<Deps, 'storage' | 'clock' | 'log' | 'rates'>, Omit<WakeQueuePorts, 'wake'> {
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
  /** Whether it has been written into the records, or that has failed; before that they cannot disagree. */
  written: boolean;
  productId: string;
  /** Fingerprint of the certificate that it was opened with; none without TLS. */
  readonly certificate: string | undefined;
  readonly connection: ChannelConnection;
  readonly heard: Heard;
}

/**
 * The devices on the message channel, whichever process they are connected to. Spec: API-DEV-GET-stream,
 * API-CHAN-processes.
 */
export class ChannelHub {
  readonly #deps: HubDeps;
  readonly #lease: ProcessLease;
  readonly #attached = new Map<string, Attached>();
  readonly #leave: readonly (() => void)[];
  readonly #wakes: WakeQueue;
  readonly #relay: CommandRelay;
  #tending: CancelTimer;
  #comparing: Promise<void> | undefined;
  /** The one after that. */
  #compareNext: Promise<void> | undefined;
  /** Notes channels that open and close. */
  readonly #record: ReturnType<typeof channelRecorder>;
  /** What is still being written of lines that have opened or closed. */
  readonly #writing = new Set<Promise<void>>();
  #closed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#record = channelRecorder(deps.storage);
    const { bus } = deps.storage;
    this.#wakes = new WakeQueue({ ...deps, wake: (deviceId) => this.#wake({ deviceId }) });
    this.#leave = [
      bus.subscribe(topics.channelAction, ({ deviceId, action }) => {
        const attached = this.#attached.get(deviceId);
        if (attached) send(attached, action);
      }),
      bus.subscribe(topics.missed, () => void this.compare()),
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
    const live = { revived: () => void this.compare(), gone: (ids: ReadonlySet<string>) => this.#clear(ids) };
    this.#lease = new ProcessLease({ ...deps, ...live });
    this.#relay = new CommandRelay({
      ...deps,
      processId: this.#lease.id,
      isHere: (deviceId) => this.#attached.has(deviceId),
      run: (deviceId, data, timeoutMs) => this.#run(deviceId, data, timeoutMs),
    });
    this.#tending = this.#tend();
  }

  /** The lease of this process: what it does for all it does under that name. */
  get lease(): Pick<ProcessLease, 'id' | 'signOn'> {
    return this.#lease;
  }

  /** Devices connected to this process. */
  get size(): number {
    return this.#attached.size;
  }

  /** It takes no more devices, and sends away those it has. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Takes the line of a device; the answer hears what comes over it.
   *
   * @param certificate fingerprint of the one that the device has shown
   */
  attach(device: ChannelDevice, address: string, line: Line, certificate?: string): LineListener {
    if (this.#closed) {
      const answer = async () => failure('the service stops');
      const late = new ChannelConnection(line, { clock: this.#deps.clock, answer, closed() {} });
      sendBack(late, this.#writing.size);
      return late;
    }
    const session = randomUUID();
    const connection = new ChannelConnection(line, {
      clock: this.#deps.clock,
      answer: (request) => this.#answer(device.id, request),
      closed: () => this.#write(this.#ended(device, session)),
    });
    this.#drop(device.id, 'replaced');
    const { product_id: productId } = device;
    const noted = { written: false, productId, heard: new Heard() };
    const attached: Attached = { session, device, address, certificate, connection, ...noted };
    this.#attached.set(device.id, attached);
    this.#deps.storage.bus.publish(topics.channelOpened, { deviceId: device.id, session });
    this.#write(
      this.#begun(device, session, address).finally(() => {
        attached.written = true;
      }),
    );
    return connection;
  }

  /** Runs a command line on a device. */
  async command(deviceId: string, data: string, timeoutMs: number): Promise<Result<CommandOutcome, CommandFailure>> {
    if (this.#attached.has(deviceId)) return this.#run(deviceId, data, timeoutMs);
    const channel = await channelOf(this.#deps.storage.db, deviceId);
    if (!channel) return failure({ reason: 'offline' });
    return this.#relay.command(channel.process_id, deviceId, data, timeoutMs);
  }

  /** Sends a device an action, wherever it is connected. The error: it is nowhere, or why no frame takes the action. */
  async send(deviceId: string, action: ServiceAction): Promise<Result<void, Exclude<CommandFailure, Silent>>> {
    // The device may be connected elsewhere, in either of the two forms.
    for (const form of ['binary', 'text'] as const) {
      const frame = writeFrame(form, action);
      if (!frame.ok) return failure({ reason: 'refused', detail: frame.error });
    }
    const { db, bus } = this.#deps.storage;
    const isHere = this.#attached.has(deviceId);
    if (!isHere && !(await channelOf(db, deviceId))) return failure({ reason: 'offline' });
    if (!isHere && !bus.connected) return failure({ reason: 'apart' });
    bus.publish(topics.channelAction, { deviceId, action });
    return success(undefined);
  }

  /**
   * Takes no more devices, sends all away within 2 s, to come back to another process at a time that each hears, and lets
   * go. Spec: API-CHAN-come-back.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#tending();
    for (const leave of this.#leave) leave();
    this.#relay.close();
    this.#wakes.stop();
    const deviceIds = [...this.#attached.keys()];
    const batch = Math.max(drainBatch, Math.ceil(deviceIds.length / drainBatches));
    for (const [at, deviceId] of deviceIds.entries()) {
      if (at > 0 && at % batch === 0) await sleep(this.#deps.clock, drainPauseMs);
      this.#drop(deviceId, 'restarting', deviceIds.length);
    }
    await this.#comparing;
    await Promise.all(this.#writing);
    await this.#lease.end();
  }

  /** Makes channels and records agree; once more if that is under way, since what it has read may be old by now. */
  compare(): Promise<void> {
    if (this.#closed || this.#attached.size === 0) return Promise.resolve();
    if (this.#comparing) {
      this.#compareNext ??= this.#comparing.then(() => {
        this.#compareNext = undefined;
        return this.compare();
      });
      return this.#compareNext;
    }
    this.#comparing = this.#compare()
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'Channels could not be compared with the records'),
      )
      .finally(() => {
        this.#comparing = undefined;
      });
    return this.#comparing;
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
    const { storage, clock, live, rates } = this.#deps;
    const write = requestWrites[request.request];
    const refused = write && rates.count(write, deviceId);
    if (refused) return failure(refused.message);
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

  /**
   * Ends the line of a device that is connected here.
   *
   * @param together with how many others, all of which shall come back; nothing is said of that without it
   */
  #drop(deviceId: string, why: keyof typeof channelCloses, together?: number): void {
    const attached = this.#attached.get(deviceId);
    if (!attached) return;
    this.#attached.delete(deviceId);
    if (together === undefined) attached.connection.close(channelCloses[why], why);
    else sendBack(attached.connection, together);
    // Whether or not the other side says goodbye, for us it is over.
    attached.connection.closed();
  }

  /** Notifies devices with an update due, those of a product at its pace: which one it is they learn by asking. Spec: API-CHAN-wake. */
  #wake({ deviceId, productId }: { readonly deviceId?: string; readonly productId?: string }): void {
    const attached = deviceId === undefined ? undefined : this.#attached.get(deviceId);
    if (attached) send(attached, { action: 'ota' });
    if (productId === undefined) return;
    const ids = [...this.#attached].filter(([, { productId: of }]) => of === productId).map(([id]) => id);
    this.#write(this.#wakes.add(productId, ids));
  }

  /** On a device that is connected here, if it still is. */
  async #run(deviceId: string, data: string, timeoutMs: number): Promise<Result<CommandOutcome, CommandFailure>> {
    const here = this.#attached.get(deviceId);
    return here ? here.connection.command(data, timeoutMs) : failure({ reason: 'offline' });
  }

  /** Online, in the records and for those who watch. Spec: API-CHAN-online. */
  async #begun(device: ChannelDevice, session: string, address: string): Promise<void> {
    const { clock, live } = this.#deps;
    await this.#lease.signOn();
    const atMs = clock.now();
    const row = await this.#record({ kind: 'opened', device, session, address, processId: this.#lease.id, atMs });
    if (row) live.notify(device.id, { type: 'online', data: { online: true, since: String(atMs) } });
    const attached = this.#attached.get(device.id);
    // It may have gone before the row was there.
    if (attached?.session !== session) return this.#ended(device, session);
    if (!isGood(attached, row)) this.#drop(device.id, 'refused');
  }

  async #ended(device: ChannelDevice, session: string): Promise<void> {
    if (this.#attached.get(device.id)?.session === session) this.#attached.delete(device.id);
    const { clock, live } = this.#deps;
    const gone = await this.#record({ kind: 'closed', device, session, atMs: clock.now() });
    if (!gone) return;
    // It was there until now, however long ago its last request was.
    await this.#deps.storage.hot.touchDevice(device.id, clock.now(), null);
    live.notify(device.id, { type: 'online', data: { online: false, since: null } });
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
      void this.compare();
      this.#tending = this.#tend();
    });
  }

  /**
   * No message between processes is relied on, and a process that stood still for a while was taken for gone. Spec: API-CHAN-online, API-DEV-revoked, API-CHAN-wake.
   */
  async #compare(): Promise<void> {
    const { db } = this.#deps.storage.background;
    const records = await readRecords(db, this.#lease.id);
    const again: Promise<void>[] = [];
    for (const [id, attached] of [...this.#attached]) {
      const row = records.channels.get(id);
      if (row?.session === attached.session) this.#align(id, attached, row, records);
      else if (attached.written && this.#attached.get(id) === attached) again.push(this.#restore(id, attached));
    }
    await Promise.all(again);
  }

  #align(id: string, attached: Attached, row: RecordedChannel, records: Records): void {
    if (!isGood(attached, row)) {
      this.#drop(id, 'refused');
      return;
    }
    attached.productId = row.product_id;
    for (const action of attached.heard.missing(id, records)) send(attached, action);
  }

  /** The records do not have this channel: the device is elsewhere by now, gone, or was taken for gone with us. */
  async #restore(id: string, attached: Attached): Promise<void> {
    const row = await channelOf(this.#deps.storage.background.db, id);
    if (this.#attached.get(id) !== attached || row?.session === attached.session) return;
    const isElsewhere = row !== undefined && row.process_id !== this.#lease.id;
    if (isElsewhere) this.#drop(id, 'replaced');
    else await this.#begun(attached.device, attached.session, attached.address);
  }

  /** Devices of processes that have ended are offline, and those who wait for them hear so. Spec: API-CHAN-online. */
  async #clear(processIds: ReadonlySet<string>): Promise<void> {
    // Who hears that a device is away finds it so in the records.
    await clearAbandoned(this.#deps).finally(() => this.#relay.ended(processIds));
  }
}

/** Whether the device may go on: its block or another certificate may have come while the channel was being opened. */
function isGood({ certificate }: Attached, row: Omit<ChannelDeviceRow, 'id'> | undefined): boolean {
  if (!row || row.state === 'disabled') return false;
  return (
    certificate === undefined || certificate === row.certificate_fingerprint || certificate === row.next_fingerprint
  );
}

function send({ connection, heard }: Attached, action: ServiceAction): void {
  heard.note(action);
  connection.send(action);
}
