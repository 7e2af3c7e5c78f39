import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import type { CancelTimer, Clock } from '@moorage/base';

/** How TLS handshakes of devices are let in. */
export interface AdmissionLimits {
  /** Handshakes that begin in a second; 0 for any number. */
  readonly perSecond: number;
  /** Handshakes under way at a time. */
  readonly atOnce: number;
  /** A handshake that takes longer does not keep others out any more, in ms: its client may never go on. */
  readonly holdMs: number;
  /** Longest wait for a turn, in ms; who would wait longer is sent away at once. */
  readonly waitMs: number;
}

export const defaultAdmission: Omit<AdmissionLimits, 'perSecond'> = { atOnce: 64, holdMs: 500, waitMs: 15_000 };

/** Turns are given out this often, in ms. */
const turnMs = 20;

const keyOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;

/**
 * The door before the TLS handshakes of a listener. When a whole fleet comes at once, each handshake that has begun is
 * over soon, and the others wait without costing anything, in their order. A connection that would wait too long is
 * closed in order: its device tries again later, in place of all of them timing out together.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #clock: Clock;
  /** Those that wait, in their order. */
  readonly #waiting = new Set<{ readonly socket: Socket; readonly enter: () => void; readonly sinceMs: number }>();
  /** What forgets each handshake under way, by its client. */
  readonly #under = new Map<string, () => void>();
  #cancelTurn: CancelTimer | undefined;
  /** Handshakes that may begin now, and when that was so. */
  #credit: number;
  #creditAtMs: number;
  #closed = false;

  constructor(limits: AdmissionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#credit = this.#burst;
    this.#creditAtMs = clock.monotonic();
  }

  /** Connections that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes the connections of a server, which is not listening yet, in its place. */
  guard(server: Server): void {
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) =>
      this.arrive(socket, () => {
        for (const listener of listeners) listener.call(server, socket);
      }),
    );
    const over = (socket: TLSSocket) => this.#leave(keyOf(socket));
    server.prependListener('secureConnection', over);
    server.prependListener('tlsClientError', (_error, socket) => over(socket));
  }

  /** A connection has come; `enter` begins its handshake. */
  arrive(socket: Socket, enter: () => void): void {
    const { perSecond, waitMs } = this.#limits;
    if (this.#closed || (perSecond > 0 && this.#waiting.size >= (perSecond * waitMs) / 1_000)) {
      sendAway(socket);
      return;
    }
    this.#waiting.add({ socket, enter, sinceMs: this.#clock.monotonic() });
    // One that breaks while it waits is no trouble of the service.
    socket.on('error', ignore);
    this.#giveTurns();
  }

  /** Lets no connection in any more, and closes those that wait. */
  close(): void {
    this.#closed = true;
    this.#cancelTurn?.();
    for (const { socket } of this.#waiting) sendAway(socket);
    for (const forget of this.#under.values()) forget();
    this.#waiting.clear();
    this.#under.clear();
  }

  /** What a rate leaves over a pause may be used at once up to this. */
  get #burst(): number {
    return Math.max(1, (this.#limits.perSecond * 5 * turnMs) / 1_000);
  }

  #giveTurns(): void {
    const { perSecond, atOnce, holdMs, waitMs } = this.#limits;
    const nowMs = this.#clock.monotonic();
    this.#credit = Math.min(this.#burst, this.#credit + ((nowMs - this.#creditAtMs) * perSecond) / 1_000);
    this.#creditAtMs = nowMs;
    for (const entry of this.#waiting) {
      const isLate = nowMs - entry.sinceMs > waitMs;
      if (!isLate && (this.#under.size >= atOnce || (perSecond > 0 && this.#credit < 1))) break;
      this.#waiting.delete(entry);
      if (entry.socket.destroyed) continue;
      if (isLate) {
        sendAway(entry.socket);
        continue;
      }
      this.#credit--;
      this.#hold(entry.socket, holdMs);
      entry.socket.off('error', ignore);
      entry.enter();
    }
    if (this.#waiting.size > 0) {
      this.#cancelTurn ??= this.#clock.after(turnMs, () => {
        this.#cancelTurn = undefined;
        this.#giveTurns();
      });
    }
  }

  #hold(socket: Socket, holdMs: number): void {
    const key = keyOf(socket);
    const leave = () => this.#leave(key);
    const cancel = this.#clock.after(holdMs, leave);
    socket.once('close', leave);
    this.#under.set(key, () => {
      cancel();
      socket.off('close', leave);
    });
  }

  #leave(key: string): void {
    const forget = this.#under.get(key);
    if (!forget) return;
    forget();
    this.#under.delete(key);
    if (this.#waiting.size > 0 && !this.#closed) this.#giveTurns();
  }
}

function ignore(): void {}

/** In order: what the client has sent is read and dropped, so that the end is no reset. */
function sendAway(socket: Socket): void {
  socket.on('error', ignore);
  socket.resume();
  socket.end(() => socket.destroySoon());
}
