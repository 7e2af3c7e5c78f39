import { failure, type Result, success } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { type FlashError, fileReasons, type NewFile } from '../device/flash.ts';
import type { Board } from './board.ts';
import { type OpenHttp, openHttp, untilAnswered, untilChange } from './http-open.ts';
import type { HttpUrl } from './http-url.ts';

/** One file to download. */
export interface Wanted {
  readonly url: HttpUrl;
  readonly iface: Interface | undefined;
  readonly cert: string | undefined;
  readonly file: Omit<NewFile, 'size'>;
  /** Gives the download up: nothing is left of it. */
  readonly signal: AbortSignal;
}

/** How much goes from the connection into the flash at a time, in bytes. */
const pieceBytes = 16 * 1024;

/** Silence within an answer after which a download is given up, in ms. */
const silenceTimeoutMs = 30_000;

/** Takes the bytes of a download; false when there is no room for them. */
interface Target {
  append(chunk: Uint8Array): Promise<boolean>;
  finish(): Promise<Result<unknown, FlashError>>;
  abandon(): Promise<void>;
}

/**
 * Downloads one file from the network straight into the flash; it is valid when all of it has come and its CRC is
 * right, and nothing of it is left otherwise. All there is to say has been printed. Spec: MOD-CMD-http_download.
 */
export async function fetchFile(board: Board, wanted: Wanted): Promise<Result<void, 'failed'>> {
  const { file } = wanted;
  // Spec: MOD-DL-d, MOD-ERR-download-duplicate. It is not worth a connection.
  if (!file.replace && board.flash.stat(file.name)) return refuse(board, 'exists');
  const opened = await openHttp(board, { method: 'GET', ...wanted });
  if (!opened.ok) return opened;
  const { stream } = opened.value;
  const end = (): void => stream.finish();
  wanted.signal.addEventListener('abort', end);
  try {
    return await receive(board, opened.value, wanted);
  } finally {
    wanted.signal.removeEventListener('abort', end);
    end();
  }
}

async function receive(board: Board, open: OpenHttp, { file, signal }: Wanted): Promise<Result<void, 'failed'>> {
  const { exchange, stream } = open;
  const isAnswered = await untilAnswered(board, open);
  if (signal.aborted) return failure('failed');
  if (!isAnswered) {
    board.log.say('noHttpResponse');
    return failure('failed');
  }
  stream.announce();
  if (exchange.status !== 200) return failure('failed');
  const target = await targetOf(board, exchange.contentLength, file);
  if (!target.ok) return refuse(board, target.error);
  let finished = false;
  try {
    const copied = await copy(board, open, target.value, signal);
    if (signal.aborted) return failure('failed');
    if (!copied.ok) return refuse(board, copied.error);
    finished = true;
    // Spec: MOD-ERR-download-crc.
    const made = await target.value.finish();
    if (!made.ok) return refuse(board, made.error);
  } finally {
    if (!finished) await target.value.abandon();
  }
  board.log.say('fileDownloaded');
  return success(undefined);
}

async function copy(
  board: Board,
  { exchange, handle, stream }: OpenHttp,
  target: Target,
  signal: AbortSignal,
): Promise<Result<void, FlashError>> {
  for (;;) {
    if (signal.aborted) return failure('incomplete');
    const piece = stream.take(pieceBytes);
    if (piece.length > 0) {
      if (!(await target.append(piece))) return failure('no-space');
    } else if (stream.remoteClosed) {
      return exchange.failure === undefined ? success(undefined) : failure('incomplete');
    } else if (!(await untilChange(board, handle, silenceTimeoutMs))) {
      return failure('incomplete');
    }
  }
}

/** A file of the announced size; without one the content waits outside until its size is known. */
async function targetOf(
  board: Board,
  size: number | undefined,
  file: Omit<NewFile, 'size'>,
): Promise<Result<Target, FlashError>> {
  if (size === undefined) {
    const spool = await board.flash.spool();
    return success({
      append: (chunk) => spool.append(chunk),
      finish: () => spool.finish((found) => board.flash.place({ ...file, size: found })),
      abandon: () => spool.abandon(),
    });
  }
  const writer = await board.flash.place({ ...file, size });
  if (!writer.ok) return writer;
  return success({
    append: async (chunk) => {
      await writer.value.append(chunk);
      return true;
    },
    finish: () => writer.value.finish(),
    abandon: () => writer.value.abandon(),
  });
}

function refuse(board: Board, error: FlashError): Result<never, 'failed'> {
  // The names of manifests have been checked, and those of users before that.
  board.log.say(error === 'bad-name' ? 'fileMissing' : error === 'incomplete' ? 'downloadCut' : fileReasons[error]);
  return failure('failed');
}
