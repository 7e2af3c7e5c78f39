import type { Pins } from '../device/gpio.ts';
import type { Evidence } from '../interpreter/command.ts';
import type { Kind, Value } from './kinds.ts';

/** Not seen on a real module: a strict module refuses it. */
export const isGuess = (evidence: Evidence): boolean => evidence === 'inferred' || evidence === 'proposed';

/** When a new value acts: at once, when the interface restarts, at boot, with the UART, or when web setup starts. */
type Apply = 'now' | 'net' | 'boot' | 'uart' | 'setup';

/** What the variables that are not stored are read from; the module gives it. */
export interface VariableSources {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** 40 upper-case hex digits. */
  readonly uuid: string;
  readonly gpioCount: number;
  /** Pins that the board itself uses: number to description. */
  readonly boardPins: Readonly<Record<string, string>>;
  readonly versionLine: string;
  readonly buildNumber: string;
  readonly rtc: {
    nowMs(): number;
    uptimeMs(): number;
    /** Milliseconds since the clock was set; -1 when it never was. */
    sinceSetMs(): number;
    set(epochMs: number): void;
  };
  network(): NetworkFacts;
  /** Lines of `softap.info`. */
  softApInfo(): readonly string[];
  /** Who has joined the module's own access point. */
  stations(): readonly { readonly mac: string; readonly ip: string | undefined }[];
  /** That access point is the network of web setup. */
  webSetupActive(): boolean;
  client(): ClientFacts;
  /** The data cloud as `get` shows it. */
  cloud(): { readonly activated: boolean };
  safeMode(): boolean;
  /** Percent of the board's memory in use. */
  memoryPercent(): number;
  /** Percent of the packet pool in use, as `network.buffer.usage` prints it. */
  bufferUsage(): string;
  /** What commands use the pins for; notified when a variable is given one. */
  pins(): Pick<Pins, 'uses' | 'isFreed' | 'ownersChanged'>;
}

/** The station interface as `get` shows it. */
export interface NetworkFacts {
  /** 0 down, 1 joined without address, 2 joined with address, 3 joining. */
  readonly status: number;
  /** Last join: 0 none, 1 success, 2 joining, 3 no ssid, 4 no passkey, 5 bad security, 6 not found, 7 failed, 8 aborted. */
  readonly joinResult: number;
  readonly ip: string;
  readonly netmask: string;
  readonly gateway: string;
  readonly dns: string;
  readonly channel: number;
  /** Lines of `wlan.info`. */
  readonly info: readonly string[];
}

/** The client of the service as `get` shows it. */
export interface ClientFacts {
  readonly bundleId: string;
  /** Result codes of an update. Reference: wire 4.1. */
  readonly otaResult: number;
  /** 0 no credentials and no token, 1 token held, 2 not acknowledged, 3 complete. */
  readonly provisionStatus: number;
}

/** What a row's own code sees of the rest: other variables by name, and the sources. */
export interface VariableContext {
  readonly sources: VariableSources;
  get(name: string): Value;
  /** Entries of an indexed variable that have a value, by index; of a plain one its value, by the empty text. */
  entries(name: string): ReadonlyMap<string, Value>;
  /** Variables that claim pins. */
  readonly pinOwners: readonly Variable[];
}

/** The indexes of an indexed variable: a fixed list of words, or the pins of the board. */
export type Index = { readonly words: readonly string[] } | 'gpio';

/** One variable of the module. Reading, setting, listing, `help` and the reference page derive from it. */
export interface Variable {
  /** 1 to 4 dotted lower-case words. */
  readonly name: string;
  /** Letters separated by spaces, `wl s`. Spec: MOD-VAR-*. Reference: variables 1.1. */
  readonly shortcut: string;
  readonly shortcuts?: readonly string[];
  /** Later or older names, accepted but not listed. */
  readonly aliases?: readonly string[];
  readonly kind: Kind;
  /** Of an indexed variable: the default of every index, or one for each. */
  readonly default: Value | Readonly<Record<string, Value>>;
  /** `get-set` when not given. */
  readonly access?: 'get' | 'get-set';
  /** `now` when not given. */
  readonly apply?: Apply;
  readonly evidence: Evidence;
  readonly help: string;
  readonly index?: Index;
  /** How `get` prints an entry of the whole list, where it is not `name index: value`. */
  readonly entryLine?: (index: string, value: Value) => string;
  /** Words that `get` takes behind the name. */
  readonly options?: readonly string[];
  /** Makes the value when asked for; such a variable is not stored. */
  readonly read?: (context: VariableContext, option: string | undefined) => Value | readonly string[];
  /** Takes a value instead of the store. */
  readonly write?: (context: VariableContext, value: Value) => void;
  /** `get` prints nothing while this holds. */
  readonly hidden?: (context: VariableContext) => boolean;
  /** `set` fails while this holds. */
  readonly locked?: (context: VariableContext, value: Value) => boolean;
  /** A password or key: shown only to those whom `seesSecrets` names. */
  readonly secret?: boolean;
  /** Other variables that a value sets along with its own. */
  readonly presets?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** Variables that go back to their defaults whenever this one is set. */
  readonly resets?: readonly string[];
  /** Claims the pins that it names for itself alone. */
  readonly ownsPin?: boolean;
  /** Why it has no effect: it is declared and kept, and no code reads it. A check compares that with the code. */
  readonly inert?: string;
}

/** Declares the variables of one prefix; keeps the exact types of the rows, from which those of the values derive. */
export const defineVariables = <const Rows extends readonly Variable[]>(rows: Rows): Rows => rows;
