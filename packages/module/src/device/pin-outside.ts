import type { CancelTimer, Clock } from '@moorage/base';
import { type Level, logicThresholdVolts, supplyVolts } from './pin-table.ts';

/** Levels one after the other, each for a time; `null` lets go of the pin. */
export interface Waveform {
  readonly steps: readonly { readonly level: Level | null; readonly ms: number }[];
  /** Begins anew after the last step; otherwise the last level stays. */
  readonly repeat?: boolean;
}

/** Volts as a function of the milliseconds since it was connected. */
export type AnalogWaveform = (ms: number) => number;

/** Most steps of a waveform. */
export const maxWaveformSteps = 1000;

interface Drive {
  level: Level | null;
  volts?: (() => number) | undefined;
  cancel?: CancelTimer | undefined;
}

/** What is connected to the pins from outside: nothing, a level, a waveform or a voltage. */
export class PinOutside {
  readonly #clock: Clock;
  readonly #changed: (pin: number) => void;
  // Made when first needed: nothing is connected to most modules of a fleet.
  #drives: Map<number, Drive> | undefined;

  /** `changed` is called at every step of a waveform, but not for what is set through this object. */
  constructor(clock: Clock, changed: (pin: number) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The level that the pin is driven to from outside now; `null` when it is not driven. */
  level(pin: number): Level | null {
    const drive = this.#drives?.get(pin);
    if (!drive?.volts) return drive?.level ?? null;
    return drive.volts() >= logicThresholdVolts ? 1 : 0;
  }

  /** Voltage on the pin; one that is not driven is at 0 V. */
  volts(pin: number): number {
    const drive = this.#drives?.get(pin);
    return drive?.volts ? drive.volts() : drive?.level === 1 ? supplyVolts : 0;
  }

  /** Takes the place of what was connected before. Throws for a waveform without steps, or with times below 1 ms. */
  connect(pin: number, what: Level | null | Waveform): void {
    this.#drives?.get(pin)?.cancel?.();
    if (what === null) {
      this.#drives?.delete(pin);
      return;
    }
    if (typeof what === 'number') {
      this.#put(pin, { level: what });
      return;
    }
    const { steps } = what;
    if (steps.length === 0 || steps.length > maxWaveformSteps || steps.some(({ ms }) => !(ms >= 1)))
      throw new Error(`A waveform has 1 to ${maxWaveformSteps} steps of at least 1 ms`);
    const drive: Drive = { level: null };
    this.#put(pin, drive);
    this.#run(pin, drive, what, 0);
  }

  /** The same for a voltage, or one that changes with time. */
  connectAnalog(pin: number, what: number | AnalogWaveform): void {
    this.#drives?.get(pin)?.cancel?.();
    const startMs = this.#clock.monotonic();
    const volts = typeof what === 'number' ? () => what : () => what(this.#clock.monotonic() - startMs);
    this.#put(pin, { level: null, volts });
  }

  /** Stops all waveforms; levels stay as they are. */
  close(): void {
    for (const drive of this.#drives?.values() ?? []) drive.cancel?.();
  }

  #put(pin: number, drive: Drive): void {
    this.#drives ??= new Map();
    this.#drives.set(pin, drive);
  }

  /** Gives a waveform's step number `at` to the pin, and the others after it. */
  #run(pin: number, drive: Drive, wave: Waveform, at: number): void {
    const { steps, repeat } = wave;
    const step = steps[at];
    if (!step) return;
    drive.level = step.level;
    const next = at + 1 < steps.length ? at + 1 : repeat && steps.length > 1 ? 0 : undefined;
    if (next === undefined) return;
    drive.cancel = this.#clock.after(step.ms, () => {
      this.#run(pin, drive, wave, next);
      this.#changed(pin);
    });
  }
}
