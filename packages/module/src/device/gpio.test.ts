import { transition, unwrap, VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { Pins, type Signal } from './gpio.ts';
import {
  type Direction,
  type Level,
  type PinState,
  type PinTrigger,
  pinStates,
  pinTable,
  pinTriggers,
} from './pin-table.ts';

function rig(owners: Record<number, string> = {}) {
  const clock = new VirtualClock();
  const pins = new Pins({ clock, count: 8, ownerOf: (pin) => owners[pin] });
  return { clock, pins, owners };
}

const enter: Readonly<Record<PinState, (pins: Pins, pin: number) => unknown>> = {
  free: () => {},
  function: () => {},
  gpio: (pins, pin) => pins.register(pin, 3),
  adc: (pins, pin) => pins.sample(pin),
  pwm: (pins, pin) => pins.modulate(pin, 1000, 50),
  dac: (pins, pin) => pins.convert(pin, 1),
};

const pull: Readonly<Record<PinTrigger, (pins: Pins, pin: number) => { readonly ok: boolean }>> = {
  register: (pins, pin) => pins.register(pin, 0),
  deregister: (pins, pin) => {
    pins.deregister(pin);
    return { ok: true };
  },
  sample: (pins, pin) => pins.sample(pin),
  modulate: (pins, pin) => pins.modulate(pin, 1, 1),
  stop: (pins, pin) => pins.stopModulation(pin),
  convert: (pins, pin) => pins.convert(pin, 2),
};

describe.each(pinStates)('a pin in state %s', (state) => {
  test.each(pinTriggers)('follows its table on %s', (trigger) => {
    const { pins } = rig({ 1: 'system.cmd.gpio' });
    const pin = state === 'function' ? 1 : 2;
    enter[state](pins, pin);
    expect(pins.stateOf(pin)).toBe(state);
    const next = transition(pinTable, state, trigger);
    expect(pull[trigger](pins, pin).ok).toBe(next !== undefined);
    expect(pins.stateOf(pin)).toBe(next ?? state);
  });
});

// MOD-GPIO-dir-0, MOD-GPIO-dir-1, MOD-GPIO-dir-2, MOD-GPIO-dir-3, MOD-GPIO-dir-4, MOD-GPIO-dir-5
test.each<[Direction, Level, Level | null, Level | null]>([
  [0, 0, null, 1],
  [0, 0, 0, 0],
  [0, 0, 1, 1],
  [1, 0, null, 0],
  [1, 0, 1, 1],
  [2, 0, null, null],
  [2, 0, 0, 0],
  [2, 0, 1, 1],
  [3, 0, 1, 0],
  [3, 1, 0, 1],
  [3, 1, null, 1],
  [4, 0, 1, 0],
  [4, 1, null, null],
  [4, 1, 0, 0],
  [4, 1, 1, 1],
  [5, 0, null, 0],
  [5, 1, null, 1],
  [5, 1, 0, 0],
])('direction %d with latch %d and %j connected has signal %j', (direction, latch, outside, expected) => {
  const { pins } = rig();
  pins.drive(3, outside);
  unwrap(pins.register(3, direction, latch));
  expect(pins.signal(3)).toEqual({ level: expected });
  // A floating pin reads 0.
  expect(pins.level(3)).toBe(expected ?? 0);
});

test('an output keeps its level over a change of direction, and loses it when it is taken away', () => {
  const { pins } = rig();
  unwrap(pins.register(1, 3));
  expect(pins.write(1, 1)).toBe(true);
  unwrap(pins.register(1, 5));
  expect(pins.level(1)).toBe(1);
  pins.deregister(1);
  expect(pins.write(1, 1)).toBe(false);
  unwrap(pins.register(1, 3));
  expect(pins.level(1)).toBe(0);
  unwrap(pins.register(1, 0));
  expect(pins.write(1, 1)).toBe(false);
});

test('a function has its pin until gpio_dir takes it, and again after a boot or a new grant', () => {
  const { owners, pins } = rig({ 1: 'system.cmd.gpio' });
  const received: Signal[] = [];
  pins.watch(1, (signal) => received.push(signal));
  pins.put('system.cmd.gpio', 1, 1);
  pins.put('another', 1, 0);
  expect(pins.refusal(1, 'register')).toEqual({ owner: 'system.cmd.gpio' });
  pins.deregister(1);
  pins.put('system.cmd.gpio', 1, 0);
  expect(pins.stateOf(1)).toBe('free');
  pins.ownersChanged([1]);
  pins.reset();
  pins.put('system.cmd.gpio', 1, 0);
  delete owners[1];
  pins.ownersChanged();
  expect(received.map((signal) => ('level' in signal ? signal.level : signal))).toEqual([1, null, 1, null, 0, null]);
});

test('what is connected outside stays connected over a boot', () => {
  const { pins } = rig();
  pins.drive(1, 1);
  unwrap(pins.register(1, 1));
  pins.reset();
  expect([pins.stateOf(1), pins.signal(1)]).toEqual(['free', { level: 1 }]);
});

test('a waveform runs on the clock, and repeats when that is set', async () => {
  const { clock, pins } = rig();
  const received: unknown[] = [];
  pins.watch(1, (signal) => received.push([clock.monotonic(), 'level' in signal && signal.level]));
  pins.drive(1, {
    steps: [
      { level: 1, ms: 10 },
      { level: 0, ms: 20 },
      { level: null, ms: 5 },
    ],
    repeat: true,
  });
  await clock.advance(45);
  pins.drive(1, {
    steps: [
      { level: 1, ms: 10 },
      { level: 0, ms: 20 },
    ],
  });
  await clock.advance(1000);
  expect(received).toEqual([
    [0, 1],
    [10, 0],
    [30, null],
    [35, 1],
    [45, 0],
    [45, 1],
    [55, 0],
  ]);
  expect(clock.pending).toBe(0);
  pins.drive(1, {
    steps: [
      { level: 1, ms: 10 },
      { level: 0, ms: 20 },
    ],
    repeat: true,
  });
  expect(clock.pending).toBe(1);
  pins.close();
  expect(clock.pending).toBe(0);
});

test('a voltage reads 1 from half of the supply on, and changes with time', async () => {
  const { clock, pins } = rig();
  unwrap(pins.register(1, 2));
  pins.analog(1, 1.64);
  expect(pins.level(1)).toBe(0);
  await clock.advance(500);
  pins.analog(1, (ms) => ms / 1000);
  await clock.advance(1650);
  expect(pins.level(1)).toBe(1);
  pins.deregister(1);
  expect(unwrap(pins.sample(1))).toBe(1.65);
  pins.drive(1, 1);
  expect(unwrap(pins.sample(1))).toBe(3.3);
  pins.drive(1, null);
  expect(unwrap(pins.sample(1))).toBe(0);
});

test('watchers hear of changes only, until they end', () => {
  const { pins } = rig();
  const received: Signal[] = [];
  const stop = pins.watch(1, (signal) => received.push(signal));
  const other = pins.watch(1, () => {});
  pins.drive(1, 1);
  pins.drive(1, 1);
  unwrap(pins.register(1, 3));
  pins.deregister(1);
  unwrap(pins.modulate(1, 50, 10));
  unwrap(pins.stopModulation(1));
  unwrap(pins.convert(1, 1.5));
  stop();
  pins.deregister(1);
  other();
  expect(received).toEqual([
    { level: 1 },
    { level: 0 },
    { level: 1 },
    { hz: 50, dutyPercent: 10 },
    { level: 1 },
    { volts: 1.5 },
  ]);
});

test.each([-1, 8, 1.5, Number.NaN])('pin %d is a mistake', (pin) => {
  const { pins } = rig();
  expect(() => pins.level(pin)).toThrow('has no pin');
  expect(() => pins.drive(pin, 1)).toThrow('has no pin');
  expect(() => pins.watch(pin, () => {})).toThrow('has no pin');
});

test('waveforms without steps or without time are mistakes', () => {
  const { pins } = rig();
  expect(() => pins.drive(1, { steps: [] })).toThrow('1 to 1000 steps');
  expect(() => pins.drive(1, { steps: [{ level: 1, ms: 0 }] })).toThrow('at least 1 ms');
});
