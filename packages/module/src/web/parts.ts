import type { Caller, Execution } from '../interpreter/execute.ts';
import type { ServiceParts } from '../services/service.ts';

/** What the HTTP server is handed. */
export interface WebParts extends ServiceParts {
  /** Runs one command line in its turn, at once if it can; see `executeNow` of the interpreter. */
  executeNow(line: string, data?: Uint8Array, caller?: Caller): Execution | Promise<Execution>;
}
