import { channelFrameLimitBytes } from '@moorage/api';
import { type CancelTimer, type Clock, defined, failure, type Random, type Result, transition } from '@moorage/base';
import type { Net } from '@moorage/net';
import type { HttpTarget } from '@moorage/net/http/client';
import { openWebSocket, type SocketEnd, type WebSocketLine } from '@moorage/net/http/web-socket';
import type { EndReason } from '../events.ts';
import type { ServiceFailure } from '../failures.ts';
import { ChannelSession, type RequestBody, type SessionParts } from './session.ts';
import { type ChannelState, type ChannelTrigger, channelTransitions, reasonOf, steadyMs, waits } from './table.ts';

/** Longest dial and handshake together, and longest closing, in ms. */
const openTimeoutMs = 30_000;
const goodbyeMs = 2_000;

/** What a channel needs to dial the service. */
export interface ConnectionPorts {
  /** The device's own time: what is waited between two attempts. */
  readonly ownClock: Clock;
  readonly net: Net;
  /** Where the service is, with the identity that it knows. */
  readonly target: () => Promise<Result<HttpTarget, ServiceFailure>>;
}

interface ChannelParts extends SessionParts, ConnectionPorts {
  readonly random: Random;
  readonly opened: () => void;
  /** Called once for each channel that was open, and for each attempt that came to nothing. */
  readonly ended: (reason: EndReason) => void;
}

/**
 * The connection of the message channel, from its first opening to `stop`: opens it, and opens it again. Spec: MOD-CHAN-open,
 * MOD-CHAN-reconnect.
 */
export class Channel {
  readonly #parts: ChannelParts;
  #state: ChannelState = 'waiting';
  #session: ChannelSession | undefined;
  #socket: WebSocketLine | undefined;
  #openedAtMs = 0;
  /** Ends in a row without a channel that was steady. */
  #failures = 0;
  #leaving: EndReason | undefined;
  /** When the service wants the device back after the end of this channel, in ms. */
  #comeBackMs: number | undefined;
  #cancel: CancelTimer;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    // The join that has brought us here ends first.
    this.#cancel = parts.ownClock.after(0, () => void this.#dial());
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Makes a request over the open channel; the error is a text. */
  request(body: RequestBody, timeoutMs: number): Promise<Result<unknown, string>> {
    return this.#session?.request(body, timeoutMs) ?? Promise.resolve(failure('the message channel is not open'));
  }

  /** Sends what needs no response, if the channel is open. */
  notify(body: RequestBody): void {
    this.#session?.notify(body);
  }

  /** The service is about to end the channel, and wants the device back after this time. Spec: MOD-CHAN-reconnect. */
  comeBack(afterMs: number): void {
    this.#comeBackMs = afterMs;
  }

  /** Opens the channel with another identity, closing it first; the service may have done so already. */
  renew(): void {
    if (this.#state === 'open') {
      this.#leaving = 'renewed';
      this.#sayGoodbye();
    } else if (this.#state === 'waiting') {
      this.#failures = 0;
      this.#cancel();
      this.#plan('renewed');
    }
  }

  stop(): void {
    this.#step('stop');
    this.#cancel();
    this.#session?.closed();
    this.#session = undefined;
    this.#sayGoodbye();
  }

  async #dial(): Promise<void> {
    this.#step('due');
    // A store that fails is no reason to bring the program down: the next attempt asks it again.
    const target = await this.#parts.target().catch(() => undefined);
    if (this.#state !== 'dialling') return;
    if (!target?.ok) return this.#again('lost');
    const { host, port, headers = {}, tls } = target.value;
    const dialled = await this.#parts.net.dial({ host, port, timeoutMs: openTimeoutMs, ...defined({ tls }) });
    if (this.#state !== 'dialling') {
      if (dialled.ok) dialled.value.stream.destroy();
      return;
    }
    if (!dialled.ok) return this.#again('lost');
    const socket = openWebSocket(
      dialled.value.stream,
      { host, path: '/stream', headers, frameLimitBytes: channelFrameLimitBytes },
      {
        opened: () => this.#opened(socket),
        frame: (frame) => this.#session?.frame(frame),
        alive: () => this.#session?.alive(),
        ended: (end) => this.#ended(socket, end),
      },
    );
    this.#socket = socket;
    // A server that takes the connection and says nothing.
    this.#cancel = this.#parts.clock.after(openTimeoutMs, () => socket.cut());
  }

  #opened(socket: WebSocketLine): void {
    if (this.#state !== 'dialling' || this.#socket !== socket) return;
    this.#cancel();
    this.#step('opened');
    this.#openedAtMs = this.#parts.clock.monotonic();
    this.#session = new ChannelSession(socket, this.#parts);
    this.#parts.opened();
  }

  #ended(socket: WebSocketLine, end: SocketEnd): void {
    this.#cancelGoodbye();
    if (this.#socket !== socket || this.#state === 'stopped') return;
    this.#cancel();
    const session = this.#session;
    this.#socket = undefined;
    this.#session = undefined;
    session?.closed();
    const reason = this.#leaving ?? reasonOf(end);
    const comeBackMs = this.#comeBackMs;
    this.#leaving = undefined;
    this.#comeBackMs = undefined;
    const steady = session && this.#parts.clock.monotonic() - this.#openedAtMs >= steadyMs;
    if (steady || reason === 'renewed') this.#failures = 0;
    if (reason === 'restarting' && comeBackMs !== undefined) {
      // The service has drawn the time; a wait of our own would only be longer.
      this.#step('ended');
      this.#parts.ended(reason);
      this.#dialAfter(comeBackMs);
    } else this.#again(reason, end.kind === 'refused' ? end.retryAfterMs : undefined);
  }

  #again(reason: EndReason, atLeastMs = 0): void {
    this.#step('ended');
    this.#parts.ended(reason);
    this.#plan(reason, atLeastMs);
  }

  /**
   * Dials after a wait that grows with each failure in a row.
   *
   * @param atLeastMs what the service asks all of its devices to wait: it comes before a wait that is drawn
   */
  #plan(reason: EndReason, atLeastMs = 0): void {
    const { firstMs, longestMs } = waits[reason];
    const wholeMs = Math.min(firstMs * 2 ** Math.min(this.#failures, 30), longestMs);
    this.#failures++;
    this.#dialAfter(
      Math.min(atLeastMs, longestMs) + wholeMs / 2 + this.#parts.random.below(Math.ceil(wholeMs / 2) + 1),
    );
  }

  #dialAfter(waitMs: number): void {
    this.#cancel = this.#parts.ownClock.after(waitMs, () => void this.#dial());
  }

  #cancelGoodbye: CancelTimer = () => {};

  #sayGoodbye(): void {
    const socket = this.#socket;
    if (!socket) return;
    socket.close();
    this.#cancelGoodbye = this.#parts.clock.after(goodbyeMs, () => socket.cut());
  }

  #step(trigger: ChannelTrigger): void {
    const next = transition(channelTransitions, this.#state, trigger);
    if (next === undefined) throw new Error(`A channel that is ${this.#state} takes no "${trigger}"`);
    this.#state = next;
  }
}
