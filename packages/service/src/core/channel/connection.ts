import { ChannelAnswer, channelFrameLimitBytes, channelPingMs, DeviceRequest, type ServiceAction } from '@moorage/api';
import { type Form, type Frame, formOf, readFrame } from '@moorage/api/core/channel-frames';
import { type CancelTimer, type Clock, failure, ignoreFailure, type Result, success } from '@moorage/base';
import Value from 'typebox/value';
import type { CommandFailure, CommandOutcome } from '../../engine/bus/topics.ts';
import { deviceTexts } from '../../engine/device-texts.ts';
import { asJson, writeFrame } from './codec.ts';
import type { Line, LineListener } from './line.ts';

/** Requests of a device that wait for their turn; more stop the line until there are fewer. */
const waitingRequests = 16;
/** Commands that a device has not answered yet. */
const openCommands = 16;
/** What a device that does not read may have waiting; then the line is cut. */
const waitingBytesLimit = 4 * channelFrameLimitBytes;
/** Pings that may stay unanswered. */
const silentPings = 3;

export interface ConnectionParts {
  readonly clock: Clock;
  /** Answers a request of the device; the error is a text for it. */
  readonly answer: (request: DeviceRequest) => Promise<Result<unknown, string>>;
  readonly closed: () => void;
}

interface Pending {
  readonly settle: (outcome: Result<CommandOutcome, CommandFailure>) => void;
  readonly cancel: CancelTimer;
}

/** The channel of one device: its requests one after the other, our commands by their ids. */
export class ChannelConnection implements LineListener {
  readonly #line: Line;
  readonly #parts: ConnectionParts;
  readonly #queue: { readonly request: DeviceRequest; readonly form: Form }[] = [];
  #busy = false;
  #paused = false;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #heardAt: number;
  #pings = 0;
  #isClosed = false;
  /** The device speaks this: until it has said anything, MessagePack. */
  #form: Form = 'binary';

  constructor(line: Line, parts: ConnectionParts) {
    this.#line = line;
    this.#parts = parts;
    this.#heardAt = parts.clock.monotonic();
  }

  /** Runs a command line on the device. Spec: API-CHAN-command. */
  command(data: string, timeoutMs: number): Promise<Result<CommandOutcome, CommandFailure>> {
    if (this.#isClosed) return Promise.resolve(failure({ reason: 'offline' }));
    if (this.#pending.size >= openCommands) {
      return Promise.resolve(failure({ reason: 'refused', detail: 'too many commands wait for their answers' }));
    }
    this.#lastId = (this.#lastId + 1) >>> 0;
    const id = this.#lastId;
    return new Promise((settle) => {
      const cancel = this.#parts.clock.after(timeoutMs, () => {
        this.#pending.delete(id);
        settle(failure({ reason: 'silent' }));
      });
      this.#pending.set(id, { settle, cancel });
      const sent = this.#send({ id, request: 'command', data });
      if (!sent.ok) this.#settle({ id, error: sent.error });
    });
  }

  /** Tells the device something; nothing comes back. Spec: API-CHAN-action. */
  send(action: ServiceAction): void {
    // What no frame takes is lost, as is what a device that has just gone does not get.
    if (!this.#isClosed) ignoreFailure(this.#send(action));
  }

  close(code: number, reason: string): void {
    this.#line.close(code, reason);
  }

  /** Called now and then: pings a silent device, and gives up one that does not answer. Spec: API-CHAN-limits. */
  tend(): void {
    const silentMs = this.#parts.clock.monotonic() - this.#heardAt;
    if (silentMs < channelPingMs * (this.#pings + 1)) return;
    if (this.#pings >= silentPings - 1) this.#line.cut();
    else {
      this.#pings++;
      this.#line.ping();
    }
  }

  heard(): void {
    this.#heardAt = this.#parts.clock.monotonic();
    this.#pings = 0;
  }

  frame(frame: Frame): void {
    this.heard();
    this.#form = formOf(frame);
    const message = readFrame(frame);
    if (!message.ok) {
      this.#sendError({ error: message.error });
      return;
    }
    // An answer goes on to who has asked for it, and is kept nowhere.
    const asked = 'request' in message.value ? deviceTexts(message.value) : undefined;
    if (Value.Check(DeviceRequest, asked)) {
      this.#queue.push({ request: asked, form: this.#form });
      if (this.#queue.length >= waitingRequests) this.#setPaused(true);
      void this.#work();
    } else if ('request' in message.value) this.#refuse(message.value);
    else if (Value.Check(ChannelAnswer, message.value)) this.#settle(message.value);
    else this.#refuse(message.value);
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { settle, cancel } of this.#pending.values()) {
      cancel();
      settle(failure({ reason: 'offline' }));
    }
    this.#pending.clear();
    this.#parts.closed();
  }

  #refuse({ id, request }: Readonly<Record<string, unknown>>): void {
    const known = ['echo', 'webhook', 'telemetry', 'nodes'];
    const error = known.includes(String(request)) ? `the fields of ${request} are not right` : 'unknown request';
    this.#sendError({ ...(typeof id === 'number' && { id }), error });
  }

  #settle({ id, code = 0, data, error }: ChannelAnswer): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    pending.cancel();
    if (error !== undefined) pending.settle(failure({ reason: 'refused', detail: error }));
    else pending.settle(success({ code, data: typeof data === 'string' ? data : (asJson(data ?? '') ?? '') }));
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#queue.shift(); next && !this.#isClosed; next = this.#queue.shift()) {
      const answered = await this.#parts.answer(next.request);
      const { id } = next.request;
      if (id !== undefined) {
        const sent = this.#send(answered.ok ? { id, data: answered.value } : { id, error: answered.error }, next.form);
        // An answer that no frame takes would be waited for until the device gives up.
        if (!sent.ok) this.#sendError({ id, error: sent.error }, next.form);
      }
      if (this.#queue.length < waitingRequests / 2) this.#setPaused(false);
    }
    this.#busy = false;
  }

  #setPaused(paused: boolean): void {
    if (this.#paused === paused) return;
    this.#paused = paused;
    if (paused) this.#line.pause();
    else this.#line.resume();
  }

  /** The texts are short and our own: a frame takes them. */
  #sendError(message: { readonly id?: number; readonly error: string }, form = this.#form): void {
    ignoreFailure(this.#send(message, form));
  }

  /** Nothing is sent of what no frame takes; the error says why. */
  #send(message: Readonly<Record<string, unknown>>, form = this.#form): Result<void, string> {
    const frame = writeFrame(form, message);
    if (!frame.ok) return frame;
    if (this.#isClosed) return success(undefined);
    this.#line.send(frame.value);
    if (this.#line.waitingBytes > waitingBytesLimit) this.#line.cut();
    return success(undefined);
  }
}
