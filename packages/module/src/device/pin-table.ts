import type { Transition } from '@moorage/base';

export type Level = 0 | 1;

/** What a pin does as GPIO; the numbers are those of `gpio_dir`. */
export type Direction = 0 | 1 | 2 | 3 | 4 | 5;

/** What a pin is in use for. `function` is a variable or the board itself. */
export const pinStates = ['free', 'function', 'gpio', 'adc', 'pwm', 'dac'] as const;
export type PinState = (typeof pinStates)[number];

export const pinTriggers = ['register', 'deregister', 'sample', 'modulate', 'stop', 'convert'] as const;
export type PinTrigger = (typeof pinTriggers)[number];

/**
 * A pin has one owner at a time; what has no row is refused. Taking a pin away (`gpio_dir <n> none`) is always allowed,
 * from a variable's function too. Reference: variables 4.1, commands 2.2.
 */
export const pinTable: readonly Transition<PinState, PinTrigger>[] = [
  { from: 'free', trigger: 'register', to: 'gpio' },
  { from: 'free', trigger: 'sample', to: 'adc' },
  { from: 'free', trigger: 'modulate', to: 'pwm' },
  { from: 'free', trigger: 'convert', to: 'dac' },
  { from: 'free', trigger: 'stop', to: 'free' },
  { from: 'free', trigger: 'deregister', to: 'free' },
  { from: 'gpio', trigger: 'register', to: 'gpio' },
  { from: 'gpio', trigger: 'deregister', to: 'free' },
  { from: 'adc', trigger: 'sample', to: 'adc' },
  { from: 'adc', trigger: 'deregister', to: 'free' },
  { from: 'pwm', trigger: 'modulate', to: 'pwm' },
  { from: 'pwm', trigger: 'stop', to: 'free' },
  { from: 'pwm', trigger: 'deregister', to: 'free' },
  { from: 'dac', trigger: 'convert', to: 'dac' },
  { from: 'dac', trigger: 'deregister', to: 'free' },
  { from: 'function', trigger: 'deregister', to: 'free' },
];

interface Electrics {
  readonly output: boolean;
  /** Drives a 1 by itself; open drain only lets go of the pin. */
  readonly drivesHigh: boolean;
  /** Level that a resistor gives an undriven pin. */
  readonly pull: Level | undefined;
}

/** Spec: MOD-GPIO-dir-0 to MOD-GPIO-dir-5. */
export const electrics: Readonly<Record<Direction, Electrics>> = {
  0: { output: false, drivesHigh: false, pull: 1 },
  1: { output: false, drivesHigh: false, pull: 0 },
  2: { output: false, drivesHigh: false, pull: undefined },
  3: { output: true, drivesHigh: true, pull: undefined },
  4: { output: true, drivesHigh: false, pull: undefined },
  5: { output: true, drivesHigh: false, pull: 1 },
};

/** Supply of the board: a pin that is high has this voltage. */
export const supplyVolts = 3.3;

/** From this voltage on a pin reads 1. */
export const logicThresholdVolts = supplyVolts / 2;
