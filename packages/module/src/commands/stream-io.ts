import { merged, type Result, unlessAborted } from '@moorage/base';
import type { Stream, StreamError, TableWrite, WriteSink } from '../device/streams.ts';
import {
  codes,
  discarding,
  fail,
  needBytes,
  ok,
  type Payload,
  type Reply,
  type Response,
} from '../interpreter/reply.ts';
import type { TextKey } from '../texts/texts.ts';
import type { Board } from './board.ts';

/** The length field of a response header has five digits, and the payload's line end counts. */
export const maxReadBytes = 99_997;

const reasons: Readonly<Record<StreamError, TextKey>> = {
  'no-handle': 'noFreeStream',
  'unknown-handle': 'unknownStream',
  'not-readable': 'streamNotReadable',
  'not-writable': 'streamNotWritable',
  'too-large': 'fileTooLong',
  'datagram-too-large': 'datagramTooLarge',
  crc: 'fileCrcMismatch',
  missing: 'fileMissing',
  'not-posted': 'messageNotPosted',
  cut: 'responseCut',
  failed: 'streamWriteFailed',
};

/** Says why in the log. */
export function refuse(board: Board, error: StreamError): Response {
  return refuseWith(board, reasons[error]);
}

/** Says a text of the personality in the log and fails. */
export function refuseWith(board: Board, text: TextKey): Response {
  board.log.say(text);
  return fail(codes.FAILED);
}

/**
 * Reads up to `size` bytes of a stream: waits for them, for the end of the stream, or for `bus.command.read_timeout`;
 * what came by then is a success. The log says when these were the last of something that was cut. Others run meanwhile,
 * and the signal ends it. Spec: MOD-STREAM-read-timeout.
 */
export function readReply(
  board: Board,
  handle: number,
  size: number,
  signal: AbortSignal,
): Response | Promise<Response> {
  const stream = board.streams.get(handle);
  stream?.flush?.();
  // A stream that cannot be watched, such as a file, has all of it now.
  const complete = !stream?.read || !stream.watch || stream.remoteClosed || stream.available() >= size;
  if (!complete) return readInTime(board, { handle, stream, size, signal });
  const answer = (read: Result<Uint8Array, StreamError>): Response =>
    read.ok ? readAnswer(board, stream, read.value) : refuse(board, read.error);
  const read = board.streams.read(handle, size);
  return read instanceof Promise ? read.then(answer) : answer(read);
}

function readAnswer(board: Board, stream: Stream | undefined, bytes: Payload): Response {
  if (stream?.lost && stream.available() === 0) board.log.say(reasons[stream.lost]);
  return ok(bytes);
}

interface Reading {
  readonly handle: number;
  readonly stream: Stream;
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Takes what is there again and again: the bytes wanted may be more than a stream holds at a time. */
async function readInTime(board: Board, { handle, stream, size, signal }: Reading): Promise<Response> {
  const parts: Uint8Array[] = [];
  let missing = size;
  let late = false;
  let wake = (): void => {};
  const cancel = board.clock.after(board.variables.get('bus.command.read_timeout'), () => {
    late = true;
    wake();
  });
  for (;;) {
    const reading = board.streams.read(handle, missing);
    const read = reading instanceof Promise ? await reading : reading;
    if (!read.ok && parts.length === 0) {
      cancel();
      return refuse(board, read.error);
    }
    if (!read.ok) break;
    if (read.value.length > 0) parts.push(read.value);
    missing -= read.value.length;
    if (missing === 0 || late || signal.aborted || board.streams.get(handle) !== stream) break;
    if (stream.available() > 0) continue;
    if (stream.remoteClosed) break;
    await new Promise<void>((resolve) => {
      const stop = board.streams.onChange(handle, resolve);
      wake = () => {
        stop();
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
    });
    signal.removeEventListener('abort', wake);
  }
  cancel();
  return readAnswer(board, stream, merged(parts));
}

/** Takes the data of a write that has begun. The announced bytes are taken even when it was refused: they have been sent. */
export function writeReply(
  board: Board,
  size: number,
  begun: Result<WriteSink & Partial<Pick<TableWrite, 'taken'>>, StreamError>,
  signal: AbortSignal,
): Reply {
  if (!begun.ok)
    return needBytes(
      size,
      discarding(() => refuse(board, begun.error)),
    );
  const sink = begun.value;
  // A host that sends again has to know what there is already.
  const sayTaken = (): void => void (sink.taken && board.log.say('streamWriteCut', { taken: sink.taken, size }));
  const answer = (written: Result<void, StreamError> | undefined): Response => {
    if (written?.ok) return ok(board.personality.text('success'));
    const refused = written ? refuse(board, written.error) : fail(codes.FAILED);
    if (!written || written.error === 'failed') sayTaken();
    return refused;
  };
  return needBytes(size, {
    write: (chunk) => sink.append(chunk),
    end: () => {
      const written = sink.end();
      return written instanceof Promise ? unlessAborted(signal, written).then(answer) : answer(written);
    },
    abort: () => {
      sayTaken();
      return sink.abort();
    },
  });
}
