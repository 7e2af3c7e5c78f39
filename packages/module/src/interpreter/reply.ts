/** Response codes of the module. Spec: MOD-ERR-*; texts are in the personality. */
export const codes = {
  SUCCESS: 0,
  FAILED: 1,
  PARSE: 2,
  UNKNOWN_COMMAND: 3,
  TOO_FEW: 4,
  TOO_MANY: 5,
  UNKNOWN_NAME: 6,
  INVALID: 7,
  OVERFLOW: 8,
  BOUNDS: 9,
} as const;

export type ResponseCode = (typeof codes)[keyof typeof codes];

export type RefusalCode = Exclude<ResponseCode, 0>;

/** Text, bytes, or bytes in pieces, which are not copied until they are read as one. */
export type Payload = string | Uint8Array | readonly Uint8Array[];

/**
 * A finished response. The payload comes without its final CR LF, which the framer adds; an empty one prints nothing
 * but the header.
 */
export interface Response {
  readonly kind: 'response';
  readonly code: ResponseCode;
  readonly payload: Payload;
  /** A table or list: kept in a CMD stream when `system.cmd.buffered` is on. */
  readonly multiline: boolean;
  /** Work that begins when the response is out, such as a reboot; the prompt comes when it is done. */
  readonly after?: () => void | Promise<void>;
  /** None of the data that the line announced is taken: the host asked first, and has not sent it. */
  readonly leavesData?: true;
}

/** The command wants `size` raw bytes, which follow its line; the session feeds them to the sink. */
export interface DataRequest {
  readonly kind: 'data';
  readonly size: number;
  readonly sink: DataSink;
}

export interface DataSink {
  /** Takes the next bytes; the session waits for the promise before it reads on. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** All bytes have come. */
  end(): Response | Promise<Response>;
  /** The bytes stopped coming: drop what there is. The session answers `Command failed`. */
  abort(): void | Promise<void>;
}

/** Nothing is printed: the module reboots or sleeps, or the command has printed all itself. */
export interface Silence {
  readonly kind: 'silence';
}

export type Reply = Response | DataRequest | Silence;

/** Success with a text of one line, or nothing. Spec: MOD-OUT-1. */
export const ok = (payload: Payload = ''): Response => ({
  kind: 'response',
  code: codes.SUCCESS,
  payload,
  multiline: false,
});

/** Success with a table or list. */
export const lines = (rows: readonly string[]): Response => ({
  kind: 'response',
  code: codes.SUCCESS,
  payload: rows.join('\r\n'),
  multiline: true,
});

/** A refusal; the session prints the personality's text for the code. Say why in a log line first (`board.log.say`). */
export const fail = (code: RefusalCode): Response => ({
  kind: 'response',
  code,
  payload: '',
  multiline: false,
});

/** The command takes `size` bytes, which go to the sink before there is a response. */
export const needBytes = (size: number, sink: DataSink): DataRequest => ({ kind: 'data', size, sink });

/** Swallows announced data of a command that is refused, so that it is not read as the next command. */
export const discarding = (answer: () => Response): DataSink => ({
  write: () => {},
  end: answer,
  abort: () => {},
});

export const silence: Silence = { kind: 'silence' };
