import { describe, expect, it } from 'vitest';
import { type Asking, askedByMs, atWorst, earliestEndMs } from './forecast.ts';

describe('what a bundle could reach that breaks every device', () => {
  const rule = (min: number) => [{ kind: 'any' as const, percent: 10, min, action: 'pause' as const }];
  const gate = { done_percent: 90 };
  it.each([
    [
      'everything without a gate or rule',
      { stages: [{ percent: 1 }, {}] },
      [10, 990],
      { devices: 1_000, stops: false },
    ],
    ['the first stage with a gate', { stages: [{ percent: 1, gate }, {}] }, [10, 990], { devices: 10, stops: true }],
    [
      'the next one when the first is empty',
      { stages: [{ count: 1, gate }, {}] },
      [0, 9],
      { devices: 9, stops: false },
    ],
    [
      'the stage in which a rule counts',
      { stages: [{}, {}], abort: rule(20) },
      [10, 90],
      { devices: 100, stops: true },
    ],
    ['what is open then', { stages: [{}], abort: rule(20), pace: { open: 5 } }, [90], { devices: 24, stops: true }],
    ['all, where a rule never counts', { stages: [{}], abort: rule(200) }, [90], { devices: 90, stops: false }],
    [
      'all, where a rule is of one kind',
      { stages: [{}], abort: [{ kind: 'boot' as const, percent: 1, min: 1, action: 'abort' as const }] },
      [9],
      { devices: 9, stops: false },
    ],
  ])('is %s', (_, settings, sizes, reach) => {
    expect(atWorst(settings, sizes)).toEqual(reach);
  });
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const of = { nowMs: 0, wakesPerMinute: 1_000 };
const silent: Asking = { isOnline: false, lastMs: null, everyMs: hourMs };

describe('when devices have asked', () => {
  const at = (minutes: number, more: Partial<Asking> = {}): Asking => ({
    ...silent,
    lastMs: minutes * minuteMs,
    ...more,
  });
  it.each<[string, readonly Asking[], from: number, minutes: number]>([
    ['is at once without any', [], 5, 5],
    ['is at the end of the interval of one', [at(-20)], 0, 40],
    ['goes by the interval that each has kept', [at(-20), at(-20, { everyMs: 2 * hourMs })], 0, 100],
    ['is the next time of one that asks just now', [at(0)], 0, 60],
    ['is a whole number of intervals later', [at(-20)], 90, 100],
    ['is an interval later of one that is late already', [at(-90)], 10, 70],
    ['is an interval later of one that was never seen', [silent], 10, 70],
    ['is at the pace of waking on the channel', Array.from({ length: 1_001 }, () => at(-20, { isOnline: true })), 0, 2],
  ])('%s', (_, devices, from, minutes) => {
    expect(askedByMs(devices, from * minuteMs, of) / minuteMs).toBe(minutes);
  });
});

describe('the earliest end of a rollout', () => {
  it.each([
    ['is when the last device has asked', { stages: [{}] }, [5], 60],
    ['is now without devices', { stages: [{}] }, [0], 0],
    ['has the soak times, and each further stage', { stages: [{ gate: { soak_s: 600 } }, {}] }, [1, 5], 130],
    ['has the probation of each stage', { stages: [{}, {}], probation_s: 120 }, [1, 5], 124],
    ['has the pace', { stages: [{}], pace: { per_minute: 10 } }, [1_001], 100],
    ['has the updates that may be open', { stages: [{}], pace: { open: 1 } }, [121], 120],
    ['begins at its time', { stages: [{}], start_at: 5 * minuteMs }, [1], 65],
    [
      'begins when the window opens',
      { stages: [{}], window: { times: [{ days: ['thu' as const], from: '02:00', to: '04:00' }] } },
      [1],
      180,
    ],
  ])('%s', (_, settings, sizes, minutes) => {
    const devices = sizes.map((length) => Array.from({ length }, () => silent));
    expect(earliestEndMs(settings, devices, { ...of, zone: 'UTC' }) / minuteMs).toBe(minutes);
  });
});
