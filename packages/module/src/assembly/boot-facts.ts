import { type OutOfBand, outOfBand } from '../device/stream-pins.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import type { VariableStore } from '../variables/store.ts';

/** What holds from one boot to the next, whatever the variables become meanwhile. */
export class BootFacts {
  /** Lines that the up arrow brings back. */
  readonly #historyLines: number;
  #safeMode = false;
  #outOfBand: OutOfBand = outOfBand('');
  #lineBytes: number;

  constructor(variables: VariableStore, historyLines: number) {
    this.#historyLines = historyLines;
    this.#lineBytes = variables.get('bus.command.rx_bufsize');
  }

  /** A boot: the variables have been loaded. */
  take(variables: VariableStore, safeMode: boolean): void {
    this.#safeMode = safeMode;
    this.#lineBytes = variables.get('bus.command.rx_bufsize');
    this.#outOfBand = outOfBand(variables.get('system.oob.gpio'));
  }

  /** The recovery program runs. Spec: MOD-VAR-system.safemode. */
  get safeMode(): boolean {
    return this.#safeMode;
  }

  /** `system.oob.gpio`. */
  get outOfBand(): OutOfBand {
    return this.#outOfBand;
  }

  // Spec: MOD-VAR-bus.command.rx_bufsize, MOD-LIMIT-history.
  get sessionLimits(): SessionBoard['sessionLimits'] {
    return { lineBytes: this.#lineBytes, historyLines: this.#historyLines };
  }
}
