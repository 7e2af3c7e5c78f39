import type { Clock, Result } from '@moorage/base';
import type { Habits } from './habits.ts';
import type { CommandQueue } from './queue.ts';
import type { RefusalCode } from './reply.ts';

/** Values of the variables that sessions look at. */
interface SessionValues {
  readonly 'system.cmd.echo': boolean;
  readonly 'system.cmd.header_enabled': boolean;
  readonly 'system.cmd.prompt_enabled': boolean;
  readonly 'system.cmd.buffered': boolean;
  /** Milliseconds. */
  readonly 'bus.command.write_timeout': number;
}

/** The settings that a session reads, always at the moment of use. */
interface SessionSettings {
  get<Name extends keyof SessionValues>(name: Name): SessionValues[Name];
  names(): readonly string[];
}

/** Keys of the personality's table that the interpreter prints. */
type SessionTextKey =
  | 'prompt'
  | 'safeModePrompt'
  | 'commandFailed'
  | 'parseError'
  | 'unknownCommand'
  | 'tooFewArguments'
  | 'tooManyArguments'
  | 'unknownVariable'
  | 'invalidArgument'
  | 'overflow'
  | 'boundsError'
  | 'tooManyConnections';

/** Whether the board answers: bytes that come while it starts wait, those that come while it sleeps are lost. */
interface SessionPower {
  readonly state: 'on' | 'starting' | 'asleep' | 'unpowered' | 'off';
  watch(watcher: { down(): void; up(): void }): () => void;
}

/** Output of a command that waits in the stream table to be read. Spec: MOD-STREAM-CMD. */
interface KeptOutput {
  readonly type: 'CMD';
  info(): string;
  available(): number;
  /** Never: it stays until `stream_close`, even when all of it has been read. */
  readonly remoteClosed: false;
  read(max: number): Uint8Array;
  close(): void;
}

/** The part of a board that its sessions need. */
export interface SessionBoard {
  readonly clock: Clock;
  readonly queue: CommandQueue;
  readonly variables: SessionSettings;
  readonly personality: { readonly habits: Habits; text(key: SessionTextKey, blanks?: { count: number }): string };
  readonly flash: { list(): readonly { readonly name: string }[] };
  readonly streams: { open(stream: KeptOutput): Result<number, 'no-handle'> };
  readonly log: {
    attach(sink: (text: string) => void): () => void;
    /** Why a command is about to fail. */
    say(key: 'noFreeStream' | 'storageFull' | 'storageFailed'): void;
  };
  readonly sessionLimits: {
    /** Longest command line, in bytes: `bus.command.rx_bufsize` as it was at boot. */
    readonly lineBytes: number;
    /** Lines that the up arrow brings back. */
    readonly historyLines: number;
  };
  /** Absent means that the board always runs. */
  readonly power?: SessionPower;
  /** The recovery program runs: few commands, headers of type `S`. Absent means never. */
  readonly safeMode?: boolean;
  /** Called for each response, when it is ready to be sent. */
  commandDone?(): void;
}

/** Text of each refusal. Spec: MOD-ERR-1, MOD-ERR-7; Reference: line 3.3. */
export const refusalTexts: Readonly<Record<RefusalCode, SessionTextKey>> = {
  1: 'commandFailed',
  2: 'parseError',
  3: 'unknownCommand',
  4: 'tooFewArguments',
  5: 'tooManyArguments',
  6: 'unknownVariable',
  7: 'invalidArgument',
  8: 'overflow',
  9: 'boundsError',
};
