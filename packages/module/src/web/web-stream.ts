import { type Clock, failure, ignoreFailure, type Result, success } from '@moorage/base';
import type { Connection, Interface } from '@moorage/net';
import type { WebSocket } from 'ws';
import { type PacketPool, ReceiveQueue } from '../device/net-buffers.ts';
import type { Stream, StreamError, WriteSink } from '../device/streams.ts';

/** Bytes sent in one frame; a longer write is one message of several frames. */
const frameBytes = 64 * 1024;

/** Longest time that a write waits for a client that takes nothing, in ms. */
const writeTimeoutMs = 5_000;

/** How long a client has to answer a close frame, in ms. */
const closeTimeoutMs = 2_000;

/** How long a client is held back while what came is not read, in ms; then the web socket is closed. */
export const unreadTimeoutMs = 15_000;

/** Close code for a client whose data is not read: try again later. */
const unreadCode = 1013;

/** Largest message of a client, in bytes: it is kept until all of it has come. */
export const maxMessageBytes = 64 * 1024;

/** What a websocket's stream is made of. */
interface WebStreamParts {
  readonly socket: WebSocket;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly pool: PacketPool;
  /** Interface that it runs on. */
  readonly iface: Interface;
  /** Called when the client is given up because what came is not read. */
  readonly unread: () => void;
}

/**
 * A websocket as a stream: what comes is a run of bytes, frame borders lost; each write is one binary message. While the
 * packet pool has no room for more, the client is held back, but no longer than `unreadTimeoutMs`: a client that is not
 * read for so long is closed with the reason. What came before can still be read.
 * Spec: MOD-STREAM-WEBS. Reference: http-server 2.3.
 */
export function webStream({ socket, connection, clock, pool, iface, unread }: WebStreamParts): Stream {
  const { localAddress, localPort, remoteAddress, remotePort } = connection;
  const queue = new ReceiveQueue(pool);
  let closed = false;
  let changed = (): void => {};
  let cancelGivingUp = (): void => {};
  const takeMore = (): void => {
    if (queue.room <= 0) queue.share.onRoom(takeMore);
    else {
      cancelGivingUp();
      socket.resume();
    }
  };
  const giveUp = (): void => {
    queue.share.offRoom(takeMore);
    // What comes until the client has answered has no room.
    socket.off('message', receive);
    unread();
    end(socket, clock, unreadCode, 'Data was not read');
  };
  const receive = (message: Buffer): void => {
    queue.push(message);
    if (queue.room <= 0 && !socket.isPaused) {
      socket.pause();
      queue.share.onRoom(takeMore);
      cancelGivingUp = clock.after(unreadTimeoutMs, giveUp);
    }
    changed();
  };
  socket.on('message', receive);
  socket.on('close', () => {
    cancelGivingUp();
    closed = true;
    changed();
  });
  // The close that follows reports what went wrong.
  socket.on('error', () => {});
  return {
    type: 'WEBS',
    iface,
    info: () => `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`,
    available: () => queue.length,
    get remoteClosed() {
      return closed;
    },
    read: (max) => queue.read(max),
    write: (size, patient) =>
      closed ? failure('not-writable') : success(messageSink(socket, size, patient ? undefined : clock)),
    close() {
      queue.close(takeMore);
      cancelGivingUp();
      end(socket, clock, 1000);
    },
    watch(listener) {
      changed = listener;
    },
  };
}

/** Closes a web socket; a client that does not answer in time is cut off. */
function end(socket: WebSocket, clock: Clock, code: number, reason?: string): void {
  // A socket that is held back would not see the answer.
  socket.resume();
  socket.close(code, reason);
  if (socket.readyState !== socket.CLOSED)
    socket.once(
      'close',
      clock.after(closeTimeoutMs, () => socket.terminate()),
    );
}

/** Sends the bytes of one write as one binary message. Without a clock it waits for a slow client without end. */
function messageSink(socket: WebSocket, size: number, clock: Clock | undefined): WriteSink {
  let missing = size;
  let parts: Uint8Array[] = [];
  let gathered = 0;
  const send = (fin: boolean): Promise<Result<void, StreamError>> => {
    const frame = parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
    parts = [];
    gathered = 0;
    return sendFrame(socket, frame, fin, clock);
  };
  let outcome: Result<void, StreamError> = success(undefined);
  return {
    append(chunk) {
      missing -= chunk.length;
      parts.push(chunk);
      gathered += chunk.length;
      if (gathered < frameBytes || missing === 0 || !outcome.ok) return;
      return send(false).then((sent) => {
        outcome = sent;
      });
    },
    end: () => (outcome.ok ? send(true) : outcome),
    abort: async () => {
      // A message that was begun has to be ended; one that was not is not sent.
      if (missing + gathered < size && outcome.ok) ignoreFailure(await send(true));
    },
  };
}

/** Resolves when the client is not far behind. */
async function sendFrame(
  socket: WebSocket,
  frame: Uint8Array,
  fin: boolean,
  clock: Clock | undefined,
): Promise<Result<void, StreamError>> {
  if (socket.readyState !== socket.OPEN) return failure('failed');
  return await new Promise((resolve) => {
    const cancel = clock?.after(writeTimeoutMs, () => resolve(failure('failed')));
    const finish = (result: Result<void, StreamError>): void => {
      cancel?.();
      resolve(result);
    };
    socket.send(frame, { binary: true, fin }, (error) => finish(error ? failure('failed') : success(undefined)));
    if (socket.bufferedAmount <= frameBytes) finish(success(undefined));
  });
}
