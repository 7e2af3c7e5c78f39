import type { Version } from '@moorage/base';
import type { Origin } from './origin.ts';
import type { Reply } from './reply.ts';

/** How sure an entry is: in the specification, documented, seen in use, inferred, or our own proposal. */
export type Evidence = 'spec' | 'documented' | 'seen' | 'inferred' | 'proposed';

/** One positional argument. */
export type ArgSpec = {
  readonly help: string;
  readonly optional?: boolean;
  /** Words that TAB offers besides those that the kind gives. */
  readonly offers?: readonly string[];
} & (
  | { readonly kind: 'word'; readonly maxLength?: number }
  /** The name of a file that is in flash. */
  | { readonly kind: 'file'; readonly maxLength?: number }
  | { readonly kind: 'int'; readonly min: number; readonly max: number }
  | { readonly kind: 'hex'; readonly max: number }
  | { readonly kind: 'bit' }
  | { readonly kind: 'gpio' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'version' }
  /** All words that are left, with their quotes if they are wanted as typed; at least one unless optional. */
  | { readonly kind: 'words'; readonly typed?: true }
);

/**
 * Where options may stand: in the order of their declaration and before the arguments, before them in any order, or
 * anywhere among them.
 */
export const optionOrders = ['stated', 'before', 'any'] as const;
export type OptionOrder = (typeof optionOrders)[number];

/** An option: a switch (`-o`), a switch with a value (`-i wlan`), or a group of letters (`-eu`). */
export type OptionSpec = { readonly help: string } & (
  | { readonly kind: 'switch'; readonly flag: string }
  | { readonly kind: 'value'; readonly flag: string; readonly value: ArgSpec }
  | { readonly kind: 'letters'; readonly letters: string }
);

type ValueOf<A extends ArgSpec> = A extends { kind: 'int' | 'hex' | 'gpio' }
  ? number
  : A extends { kind: 'bit' }
    ? 0 | 1
    : A extends { kind: 'version' }
      ? Version
      : A extends { kind: 'words' }
        ? readonly string[]
        : A extends { kind: 'choice'; choices: readonly (infer Choice)[] }
          ? Choice
          : string;

type MaybeValueOf<A extends ArgSpec> = A extends { optional: true } ? ValueOf<A> | undefined : ValueOf<A>;

type OptionValueOf<O extends OptionSpec> = O extends { kind: 'switch' }
  ? boolean
  : O extends { kind: 'value'; value: infer A extends ArgSpec }
    ? ValueOf<A> | undefined
    : /* letters: each at most once, in the order typed */ string;

export type Values<Args extends Record<string, ArgSpec>, Options extends Record<string, OptionSpec>> = {
  readonly [Name in keyof Args]: MaybeValueOf<Args[Name]>;
} & { readonly [Name in keyof Options]: OptionValueOf<Options[Name]> };

/** What a running command may do with the session that runs it. */
export interface SessionPort {
  readonly origin: Origin;
  /** Prints a question without line end and resolves to the line typed; `undefined` when there is no answer. */
  ask(question: string): Promise<string | undefined>;
  /** Aborted when a command that waits is given up: by Ctrl-C, or because the board goes down. */
  readonly signal: AbortSignal;
}

/** For what cannot be given up. */
export const neverAborted: AbortSignal = new AbortController().signal;

/** A caller without a terminal: questions stay unanswered. */
export const unattended = (origin: Origin): SessionPort => ({
  origin,
  ask: () => Promise.resolve(undefined),
  signal: neverAborted,
});

/** What TAB offers at one place of a line. */
export interface Offer {
  readonly words: readonly string[];
  /** They are names of variables: groups are offered before what is in them. */
  readonly dotted?: boolean;
}

/** A line as it can be read before it is judged. */
export interface UnjudgedLine {
  /** All words that are neither options nor their values. */
  readonly words: readonly string[];
  /** Names of the switches that are there. */
  readonly switches: ReadonlySet<string>;
  /** Values of options, by name. */
  readonly given: ReadonlyMap<string, string | undefined>;
}

/** A command with its types forgotten, as the registry keeps it. */
export interface Command<Board> {
  readonly name: string;
  /** At most six characters; equal to the name when there is no shorter one. Spec: MOD-LIMIT-shortcut. */
  readonly shortcut: string;
  /** Further spellings that are accepted but not listed. */
  readonly aliases?: readonly string[];
  readonly group: string;
  readonly spec: string;
  readonly evidence: Evidence;
  readonly summary: string;
  /** Only where it cannot be derived from args and options. */
  readonly syntax?: string;
  /** A line that could be typed; `help` and the reference page show it. */
  readonly example?: string;
  readonly args: Readonly<Record<string, ArgSpec>>;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** `stated` where the specification states an order; a personality may be less strict. Without it `any`. */
  readonly optionOrder?: OptionOrder;
  /** Left out of help and completion. */
  readonly hidden?: boolean;
  /** Still there in safe mode. */
  readonly safeMode?: boolean;
  /**
   * What the command waits for, where it does little else: meanwhile commands of other sessions run, and Ctrl-C ends it.
   * Its steps between waits are synchronous, or changes that are safe to be made twice at a time.
   */
  readonly waitsFor?: string;
  /**
   * Words of which the first whole number says how many bytes of data follow the line; absent for a command that takes
   * none. They are taken whatever else of the line is refused.
   */
  readonly announces?: (line: UnjudgedLine) => readonly (string | undefined)[] | undefined;
  /** What TAB offers behind these words, where the arguments do not say it. */
  readonly completes?: (board: Board, words: readonly string[]) => Offer | undefined;
  readonly run: (board: Board, values: Record<string, never>, session: SessionPort) => Reply | Promise<Reply>;
}

export interface TypedCommand<Board, Args extends Record<string, ArgSpec>, Options extends Record<string, OptionSpec>>
  extends Omit<Command<Board>, 'args' | 'options' | 'run'> {
  readonly args?: Args;
  readonly options?: Options;
  readonly run: (board: Board, values: Values<Args, Options>, session: SessionPort) => Reply | Promise<Reply>;
}

/** A `defineCommand` for one kind of board: argument types of `run` come from `args` and `options`. */
export const commandDefiner =
  <Board>() =>
  <
    const Args extends Record<string, ArgSpec> = Record<never, never>,
    const Options extends Record<string, OptionSpec> = Record<never, never>,
  >(
    command: TypedCommand<Board, Args, Options>,
  ): Command<Board> => ({
    ...command,
    args: command.args ?? {},
    options: command.options ?? {},
    // The registry calls `run` only with values parsed from these very args and options.
    run: command.run as Command<Board>['run'],
  });
