import { transition, VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { longAfter, Power } from './power.ts';
import { powerStates, powerTable, powerTriggers } from './power-table.ts';

const rows = powerStates.flatMap((from) => powerTriggers.map((trigger) => [from, trigger] as const));

const noPins = { onPin: () => expect.unreachable('no pin was named') };

describe('Power', () => {
  test.each(rows)('%s and %s: follows the table, and refuses what it lacks', (from, trigger) => {
    const power = new Power(new VirtualClock(), noPins);
    const way = {
      on: [],
      starting: ['reset'],
      asleep: ['sleep'],
      unpowered: ['cut-power'],
      off: ['switch-off'],
    } as const;
    for (const step of way[from]) expect(power.step(step)).toBe(true);
    const to = transition(powerTable, from, trigger);
    expect(power.step(trigger)).toBe(to !== undefined);
    expect(power.state).toBe(to ?? from);
  });

  test('notifies watchers once when it goes down and once when it is up, until they stop watching', () => {
    const power = new Power(new VirtualClock(), noPins);
    const received: string[] = [];
    const stop = power.watch({ down: () => received.push('down'), up: () => received.push('up') });
    for (const step of ['started', 'reset', 'reset', 'started', 'sleep', 'sleep', 'reset', 'started'] as const) {
      received.push(step);
      power.step(step);
    }
    const afterReset = ['reset', 'down', 'reset', 'started', 'up'];
    expect(received).toEqual(['started', ...afterReset, 'sleep', 'down', 'sleep', 'reset', 'started', 'up']);
    received.length = 0;
    stop();
    power.step('reset');
    expect(received).toEqual([]);
  });

  // MOD-VAR-system.wakeup.timeout, MOD-VAR-system.wakeup.events
  test('wakes once, by whichever source comes first, and lets go of the others', async () => {
    const clock = new VirtualClock();
    const pins = new Map<number, () => void>();
    const power = new Power(clock, {
      onPin(pin, changed) {
        pins.set(pin, changed);
        return () => pins.delete(pin);
      },
    });
    let woken = 0;
    const arm = (): void => power.armWake({ timeoutMs: 5000, pins: [3, 22] }, () => void woken++);
    arm();
    expect([...pins.keys()]).toEqual([3, 22]);
    pins.get(22)?.();
    await clock.advance(10_000);
    expect([woken, pins.size]).toEqual([1, 0]);
    arm();
    await clock.advance(4999);
    expect(woken).toBe(1);
    await clock.advance(1);
    expect([woken, pins.size]).toEqual([2, 0]);
    arm();
    power.step('reset');
    await clock.advance(10_000);
    expect([woken, pins.size]).toEqual([2, 0]);
  });

  test('without a source sleeps on', async () => {
    const clock = new VirtualClock();
    new Power(clock, noPins).armWake({ timeoutMs: 0, pins: [] }, () => expect.unreachable('it woke'));
    await clock.advance(1e9);
    expect(clock.pending).toBe(0);
  });
});

test('longAfter waits longer than a timer of the host can, and can be cancelled at any time', async () => {
  const clock = new VirtualClock();
  const longMs = 4_294_967_295_000;
  let ran = 0;
  longAfter(clock, longMs, () => void ran++);
  const cancel = longAfter(clock, longMs, () => expect.unreachable('a cancelled timer ran'));
  await clock.advance(3e9);
  cancel();
  await clock.advance(longMs - 3e9 - 1);
  expect(ran).toBe(0);
  await clock.advance(1);
  expect(ran).toBe(1);
});
