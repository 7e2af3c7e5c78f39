import { failure, type Result } from '@moorage/base';

/** Ways to the command line of a module. */
export type Transport = 'http' | 'terminal' | 'serial';

/** What a command came to. */
export interface Answer {
  /** Response code, 0 for success; learnt from the text where the line shows none. Reference: line 3.3. */
  readonly code: number;
  /** As it came, without its last line end: bytes of a file, or Latin-1 of a text. */
  readonly bytes: Uint8Array;
}

/** The text of an answer: lines separated by LF, whatever the module ends its lines with. */
export const answerText = ({ bytes }: Answer): string => Buffer.from(bytes).toString('utf8').replaceAll('\r\n', '\n');

/** Why a command has no answer. Whether the module has run it is not known then, but for `denied` and `in-use`. */
type DriverError =
  /** No connection, or it has ended. */
  | 'unreachable'
  /** The module does not answer in time. */
  | 'silent'
  /** It has not answered before, and is left alone for a while. */
  | 'resting'
  /** What came is no answer. */
  | 'garbled'
  /** The module does not do what was asked of it. */
  | 'refused'
  /** The module has booted within the answer. */
  | 'restarted'
  /** The module wants a password, or another one. */
  | 'denied'
  /** Another client has the one session of the remote terminal. */
  | 'in-use';

export interface DriverFailure {
  readonly error: DriverError;
  /** One sentence for a person; never a password. */
  readonly detail: string;
}

export const driverFailure = (error: DriverError, detail: string): Result<never, DriverFailure> =>
  failure({ error, detail });

export interface RunOptions {
  /** Bytes that follow the line. */
  readonly data?: Uint8Array;
  /** The answer is so many bytes of anything, or fewer. */
  readonly payloadBytes?: number;
  /** How long the answer may take, in ms. */
  readonly timeoutMs?: number;
  /** The command may change how answers look: what it answers is not known then, and is to be read back. */
  readonly changesLine?: boolean;
}

/** The command line of one module. Commands run one at a time, in the order in which they are asked for. */
export interface Driver {
  readonly transport: Transport;
  /** As the user gave it; never with a password. */
  readonly address: string;
  /** Most bytes that one `stream_write` carries here. */
  readonly chunkBytes: number;
  run(line: string, options?: RunOptions): Promise<Result<Answer, DriverFailure>>;
  /** Whole content of a file by a way beside the command line that is quicker, and may not be there; unchecked. */
  readonly fetchFile?: (name: string, maxBytes: number) => Promise<Uint8Array | undefined>;
  /** Gives the connection up; a terminal is free for others then. */
  close(): Promise<void>;
}

/** How long a command may take without a limit of its own, in ms. */
export const answerTimeoutMs = 20_000;

/** A word of a command line: quoted where it has to be. */
export const quoted = (word: string): string => (word === '' || /\s/.test(word) ? `"${word}"` : word);
