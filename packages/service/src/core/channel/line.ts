import type { Frame } from '@moorage/api/core/channel-frames';

/** An open web socket, without its framing. */
export interface Line {
  send(frame: Frame): void;
  ping(): void;
  /** Says goodbye with a close code. */
  close(code: number, reason: string): void;
  /** Ends at once, without a goodbye. */
  cut(): void;
  /** Bytes that have been sent and that the network has not taken. */
  readonly waitingBytes: number;
  /** Stops and starts the frames that come. */
  pause(): void;
  resume(): void;
}

/** What comes over a line. After `closed` nothing does. */
export interface LineListener {
  frame(frame: Frame): void;
  /** The other side is alive: a ping or a pong. */
  heard(): void;
  closed(): void;
}
