import {
  ChannelAnswer,
  channelFrameLimitBytes,
  channelPingMs,
  type DeviceRequest,
  ServiceAction,
  ServiceRequest,
} from '@moorage/api';
import { type Form, formOf, type Message, readFrame } from '@moorage/api/core/channel-frames';
import { type CancelTimer, type Clock, failure, type Result, success } from '@moorage/base';
import type { Frame, WebSocketLine } from '@moorage/net/http/web-socket';
import { encode } from '@msgpack/msgpack';
import Value from 'typebox/value';

/** Requests of ours that wait for their answers, and commands of the service that wait for their turn. */
const openRequests = 16;
const openCommands = 16;
/** What a service that does not read may have waiting; then the channel is cut. In bytes. */
const waitingBytesLimit = 4 * channelFrameLimitBytes;
/** A channel that is silent for as many times the ping interval is dead. */
const silentIntervals = 3;

/** Writes a message; values that are `undefined` are left out. */
const writeMessage = (form: Form, message: Message): Frame =>
  form === 'text' ? JSON.stringify(message) : encode(message, { ignoreUndefined: true });

/** The same for data from outside: `undefined` when they are nested too deeply to be written. */
function tryWriteMessage(form: Form, message: Message): Frame | undefined {
  try {
    return writeMessage(form, message);
  } catch {
    return undefined;
  }
}

const frameBytes = (frame: Frame): number => Buffer.byteLength(frame);

/** A request without the id, which the channel gives. */
export type RequestBody = DeviceRequest extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never;

/** What a command of the service came to; the error is a text for it. */
export type CommandOutcome = Result<{ readonly code: number; readonly data: string }, string>;

export interface SessionParts {
  /** Time as the service lives in it. */
  readonly clock: Clock;
  /** Runs a command line for the service. */
  readonly command: (line: string) => Promise<CommandOutcome>;
  readonly action: (action: ServiceAction) => void;
}

interface Pending {
  readonly settle: (answer: Result<unknown, string>) => void;
  readonly cancel: CancelTimer;
}

/** One open channel: our requests by their ids, the service's as they come. Reference: channel 2.1. */
export class ChannelSession {
  readonly #socket: WebSocketLine;
  readonly #parts: SessionParts;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #commands = 0;
  #aliveAtMs: number;
  #closed = false;
  #cancelTend: CancelTimer;

  constructor(socket: WebSocketLine, parts: SessionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#aliveAtMs = parts.clock.monotonic();
    this.#cancelTend = this.#tend();
  }

  /** Sends a request to the service; the error is its text, or why it could not be sent. Spec: MOD-CHAN-request. */
  request(body: RequestBody, timeoutMs: number): Promise<Result<unknown, string>> {
    if (this.#closed) return Promise.resolve(failure('the channel is closed'));
    if (this.#pending.size >= openRequests) return Promise.resolve(failure('too many requests wait for their answers'));
    this.#lastId = (this.#lastId + 1) >>> 0;
    const id = this.#lastId;
    const frame = tryWriteMessage('binary', { id, ...body });
    if (frame === undefined) return Promise.resolve(failure('the data is nested too deeply'));
    if (frameBytes(frame) > channelFrameLimitBytes) return Promise.resolve(failure('the message is too long'));
    return new Promise((settle) => {
      const cancel = this.#parts.clock.after(timeoutMs, () => {
        this.#pending.delete(id);
        settle(failure('the service does not answer'));
      });
      this.#pending.set(id, { settle, cancel });
      this.#send(frame);
    });
  }

  /** Sends a request that is not answered. */
  notify(body: RequestBody): void {
    const frame = tryWriteMessage('binary', body);
    if (frame !== undefined && frameBytes(frame) <= channelFrameLimitBytes) this.#send(frame);
  }

  alive(): void {
    this.#aliveAtMs = this.#parts.clock.monotonic();
  }

  frame(frame: Frame): void {
    this.alive();
    const form = formOf(frame);
    const read = readFrame(frame);
    if (!read.ok) {
      this.#answer(form, { error: read.error });
      return;
    }
    const message = read.value;
    // What fits none of these, and an answer that is not waited for, is nothing to reply to.
    if ('request' in message) void this.#serve(form, message);
    else if (Value.Check(ServiceAction, message)) this.#parts.action(message);
    else if (Value.Check(ChannelAnswer, message)) this.#settle(message);
  }

  /** The connection is gone: everything that waits fails. */
  closed(): void {
    this.#closed = true;
    this.#cancelTend();
    for (const { settle, cancel } of this.#pending.values()) {
      cancel();
      settle(failure('the channel has closed'));
    }
    this.#pending.clear();
  }

  /** Spec: MOD-CHAN-command. */
  async #serve(form: Form, message: Message): Promise<void> {
    const id = typeof message.id === 'number' ? { id: message.id } : {};
    if (!Value.Check(ServiceRequest, message)) {
      const known = message.request === 'command';
      this.#answer(form, { ...id, error: known ? 'the fields of command are not right' : 'unknown request' });
      return;
    }
    if (this.#commands >= openCommands) {
      this.#answer(form, { ...id, error: 'too many commands wait for their turn' });
      return;
    }
    this.#commands++;
    const outcome = await this.#parts.command(message.data);
    this.#commands--;
    this.#answer(form, outcome.ok ? { ...id, ...outcome.value } : { ...id, error: outcome.error });
  }

  #settle({ id, data, error }: ChannelAnswer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.cancel();
    pending?.settle(error === undefined ? success(data ?? null) : failure(error));
  }

  /** Answers are never longer than the service takes. */
  #answer(form: Form, message: Message): void {
    const frame = writeMessage(form, message);
    const fits = frameBytes(frame) <= channelFrameLimitBytes;
    this.#send(fits ? frame : writeMessage(form, { id: message.id, error: 'the answer is too long for a message' }));
  }

  #send(frame: Frame): void {
    if (this.#closed) return;
    this.#socket.send(frame);
    if (this.#socket.waitingBytes > waitingBytesLimit) this.#socket.cut();
  }

  /** Pings a silent service, and gives up one that stays silent. Spec: MOD-CHAN-ping. */
  #tend(): CancelTimer {
    return this.#parts.clock.after(channelPingMs, () => {
      const silentMs = this.#parts.clock.monotonic() - this.#aliveAtMs;
      if (silentMs >= silentIntervals * channelPingMs) {
        this.#socket.cut();
        return;
      }
      if (silentMs >= channelPingMs) this.#socket.ping();
      this.#cancelTend = this.#tend();
    });
  }
}
