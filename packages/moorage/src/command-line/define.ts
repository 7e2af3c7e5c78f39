import { type OptionSources, type OptionTable, type Resolved, withSecretFiles } from './options.ts';
import type { Reporter } from './output.ts';

/** Something the user can mend: its message is all that is printed. */
export class UserError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export interface CliCall<T extends OptionTable> {
  readonly options: Resolved<T>;
  /** Where the options came from, for settings that another package reads. */
  readonly sources: OptionSources;
  readonly args: readonly string[];
  readonly reporter: Reporter;
  readonly json: boolean;
}

/** What stands behind the name of a command. */
export interface CliArgument {
  readonly name: string;
  readonly help: string;
  /** May be left out. */
  readonly optional?: boolean;
  /** The last one: takes all that come. */
  readonly many?: boolean;
}

interface TypedCliCommand<T extends OptionTable> {
  readonly name: string;
  /** The group it stands in: `user` for `moorage user add`. */
  readonly parent?: string;
  /** The one of its group that is meant when none is named. */
  readonly isDefault?: boolean;
  readonly summary: string;
  readonly arguments?: readonly CliArgument[];
  readonly options: T;
  /** Imports what it needs when it is called: help and refusals do not wait for a service and a module to load. */
  readonly run: (call: CliCall<T>) => Promise<void>;
}

/** A subcommand of `moorage` with the types of its settings forgotten. */
export type CliCommand = TypedCliCommand<OptionTable>;

/** Declares a subcommand; the types of its settings come from the table. Each secret one may stand in a file. */
export const defineCliCommand = <const T extends OptionTable>(command: TypedCliCommand<T>): CliCommand =>
  // `run` is only called with values resolved from this very table.
  ({ ...command, options: withSecretFiles(command.options) }) as unknown as CliCommand;
