import type { OptionOrder } from '../interpreter/command.ts';
import type { Habits } from '../interpreter/habits.ts';
import type { Text, TextKey } from '../texts/texts.ts';
import type { TimingTable } from './timings.ts';

/** A row layout of a table: `%3d`, `%-6s`, `%04X`, `%c`. */
export type RowKey =
  | 'messages'
  | 'capabilities'
  | 'list'
  | 'listVerbose'
  | 'streamList'
  | 'scan'
  | 'scanVerbose'
  | 'services'
  | 'products'
  | 'cloudFiles';

/**
 * By what certificates are judged while the module's clock has not been set: the host computer's clock, the clock as it
 * is, which began at the epoch, or not at all by their dates.
 */
export const unsetClocks = ['host', 'epoch', 'ignored'] as const;
export type UnsetClock = (typeof unsetClocks)[number];

/** All in which one generation of the firmware differs from another. */
export interface PersonalityData {
  /** Name of the firmware, in the version line and as realm of the HTTP server. */
  readonly name: string;
  /** Four parts. */
  readonly version: string;
  /** `YYYY-MM-DD hh:mm:ss`. */
  readonly built: string;
  /** Short source hash: `system.build_number`. */
  readonly build: string;
  readonly module: string;
  readonly board: string;
  /** Spelling of the prefix `cloud` in commands, variables and stream type. */
  readonly cloudPrefix: string;
  /** The only commands that there are, and their shortcuts; empty for all. Those that no module here has are listed and fail. */
  readonly commands: Readonly<Record<string, string>>;
  /** Further spellings of commands, by name. */
  readonly commandAliases: Readonly<Record<string, readonly string[]>>;
  /** Where the options of a command may stand, by its name, instead of what the command itself says. */
  readonly optionOrder: Readonly<Record<string, OptionOrder>>;
  /** Defaults of variables (`name`, or `name index`) as `set` takes them. */
  readonly variableDefaults: Readonly<Record<string, string>>;
  readonly habits: Habits;
  readonly unsetClock: UnsetClock;
  readonly timings: TimingTable;
  readonly texts: Readonly<Record<TextKey, Text>>;
  readonly rows: Readonly<Record<RowKey, string>>;
}
