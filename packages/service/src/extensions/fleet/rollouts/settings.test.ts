import { type RolloutSettings, rolloutTemplates, templateNames } from '@moorage/api';
import { dayMs } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { PollLoad } from '../../../core/ota/poll-load.ts';
import { nextPollS } from '../../../core/ota/rules.ts';
import { chosenSettings, refuseFleetSettings, settingsFrom, stagesOf } from './settings.ts';
import { expiryMs, restsUntilMs, whyWait } from './turns.ts';
import { isZone, longestClosedMs, opensAtMs, zoneFor } from './windows.ts';

const nights = { times: [{ days: ['mon' as const, 'tue' as const], from: '22:00', to: '06:00' }] };
const stages = [{}];

// API-RULE-rollout-5
describe('settings of a rollout', () => {
  it.each([
    ['neither stages nor growth', {}, 'settings.stages'],
    ['both', { stages, growth: { start_percent: 1, factor: 2 } }, 'settings.growth'],
    ['a growth of too many stages', { growth: { start_percent: 1, factor: 1.1 } }, 'settings.growth.factor'],
    ['a stage with percent and filter', { stages: [{ percent: 1, filter: 'tag==beta' }, {}] }, 'settings.stages.0'],
    ['a last stage with a filter', { stages: [{ filter: 'tag==beta' }] }, 'settings.stages.0'],
    ['a filter that is none', { stages: [{ filter: 'colour==red' }, {}] }, 'settings.stages.0.filter'],
    [
      'a window without time',
      { stages, window: { times: [{ days: ['mon' as const], from: '08:00', to: '08:00' }] } },
      'settings.window.times.0',
    ],
    ['a zone that is none', { stages, window: { ...nights, zone: 'Mars/Base' } }, 'settings.window.zone'],
    [
      'a deadline that is over before the window opens',
      { stages, window: { ...nights, download_outside: true }, deadlines: { installed_s: 86_400 } },
      'settings.deadlines.installed_s',
    ],
    [
      'an abort rule for a deadline that there is not',
      { stages, abort: [{ kind: 'timed_out_downloading' as const, percent: 5, min: 5, action: 'abort' as const }] },
      'settings.abort.0.kind',
    ],
    [
      'a retry after a deadline that there is not',
      { stages, retry: { count: 1, back_off_s: 0, kinds: ['timed_out_installed' as const] } },
      'settings.retry.kinds',
    ],
  ])('%s is refused with the place', (_, settings, key) => {
    const refused = settingsFrom(settings);
    expect(refused).toMatchObject({ ok: false, error: { validation: { source: 'body', keys: [key] } } });
  });

  it('a growth is spelt out as its stages, each with the gate', () => {
    const gate = { done_percent: 90 };
    const made = settingsFrom({ growth: { start_percent: 5, factor: 3, gate } });
    const sizes = [5, 15, 45].map((percent) => ({ percent, gate }));
    expect(made).toEqual({ ok: true, value: { stages: [...sizes, {}] } });
  });

  it('are those that are asked for, of a template, or of the product; and a start lies ahead', () => {
    const own = { settings: { stages: [{ percent: 7 }, {}] } };
    const careful = { template: 'careful' as const };
    expect(chosenSettings(own, careful, 0)).toMatchObject({ value: { stages: [{ percent: 7 }, {}] } });
    expect(chosenSettings({}, careful, 0)).toMatchObject({ value: { stages: [{ percent: 1 }, {}, {}, {}] } });
    expect(chosenSettings({ template: 'at_once' }, own, 0)).toMatchObject({ value: { stages: [{}] } });
    expect(chosenSettings({}, {}, 0)).toMatchObject({ error: { validation: { keys: ['settings'] } } });
    expect(chosenSettings({ ...own, ...careful }, {}, 0)).toMatchObject({ ok: false });
    const late = { settings: { stages, start_at: 5 } };
    expect(chosenSettings(late, {}, 5)).toMatchObject({ error: { validation: { keys: ['settings.start_at'] } } });
    expect(chosenSettings(late, {}, 4)).toMatchObject({ ok: true });
  });

  it.each(templateNames)('the template %s stands', (name) => {
    expect(settingsFrom(rolloutTemplates[name].settings)).toMatchObject({ ok: true });
  });

  it.each([
    [{ zone: 'Mars/Base' }, 'zone'],
    [{ template: 'careful' as const, settings: { stages } }, 'template'],
    [{ settings: { stages, start_at: 5 } }, 'settings.start_at'],
    [{ settings: {} }, 'settings.stages'],
  ])('%j of a fleet is refused with the place', (more, key) => {
    const anywhere = { refusedHost: () => undefined };
    const none = { zone: null, wake_per_minute: null, poll_interval_s: null, template: null, settings: null };
    expect(refuseFleetSettings({ ...none, ...more }, anywhere)).toMatchObject({ validation: { keys: [key] } });
    expect(refuseFleetSettings({ ...none, zone: 'Europe/Berlin', template: 'careful' }, anywhere)).toBeUndefined();
  });

  it.each<[RolloutSettings['stages'], (number | undefined)[], number[]]>([
    [
      [{ filter: 'x' }, { percent: 50 }, {}],
      [undefined, 0, undefined, undefined],
      [1, 0, 2, 2],
    ],
    [
      [{ percent: 50 }, { filter: 'x' }, {}],
      [1, undefined, undefined, undefined],
      [1, 0, 0, 2],
    ],
    [
      [{ filter: 'x' }, {}],
      [undefined, undefined],
      [1, 1],
    ],
    [
      [{ count: 1 }, { filter: 'x' }, { count: 3 }, {}],
      [undefined, 1, undefined, undefined],
      [0, 1, 2, 3],
    ],
  ])('%j places devices that fit a filter in %j at %j', (of, fitting, placed) => {
    expect(stagesOf({ stages: of }, fitting)).toEqual(placed);
  });
});

// 2026-01-05 was a Monday.
const monday = (time: string) => Date.parse(`2026-01-05T${time}Z`);

describe('a window', () => {
  it.each([
    ['UTC', monday('21:59'), monday('22:00')],
    ['UTC', monday('22:00'), monday('22:00')],
    ['UTC', monday('23:30') + dayMs + 6 * 3_600_000, monday('23:30') + dayMs + 6 * 3_600_000],
    ['UTC', monday('06:00') + 2 * dayMs, monday('22:00') + 7 * dayMs],
    ['Europe/Berlin', monday('20:30'), monday('21:00')],
    ['America/New_York', monday('22:00'), monday('22:00') + 5 * 3_600_000],
    ['Asia/Kolkata', monday('16:00'), monday('16:30')],
  ])('in %s at %i opens at %i', (zone, nowMs, at) => {
    expect(opensAtMs(nights, zone, nowMs)).toBe(at);
  });

  // Of 2026: clocks in Berlin go ahead on 29 March and back on 25 October, in New York on 8 March and 1 November.
  const sundays = (from: string, to: string) => ({ times: [{ days: ['sun'] as ['sun'], from, to }] });
  it.each([
    ['the night before the clock goes ahead', sundays('04:00', '05:00'), '2026-03-28T20:00Z', '2026-03-29T02:00Z'],
    ['the night before it goes back', sundays('04:00', '05:00'), '2026-10-24T19:00Z', '2026-10-25T03:00Z'],
    ['a time that is left out', sundays('02:00', '03:00'), '2026-03-29T00:30Z', '2026-03-29T01:00Z'],
    ['an hour after a time that is left out', sundays('02:00', '03:00'), '2026-03-29T02:00Z', '2026-04-05T00:00Z'],
    ['a time that comes twice, first', sundays('02:00', '03:00'), '2026-10-24T23:30Z', '2026-10-25T00:00Z'],
    ['a time that comes twice, then', sundays('02:00', '03:00'), '2026-10-25T01:30Z', '2026-11-01T01:00Z'],
    ['over midnight', sundays('23:00', '03:30'), '2026-03-29T21:00Z', '2026-03-29T21:00Z'],
  ])('beside a change of the clock: %s', (_, window, now, at) => {
    expect(opensAtMs(window, 'Europe/Berlin', Date.parse(now))).toBe(Date.parse(at));
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])(
    'in %s it opens once in each week of a year, for as long as it says',
    (zone) => {
      for (const [from, to, minutes] of [
        ['01:30', '02:30', 60],
        ['02:00', '03:00', 60],
        ['23:30', '04:00', 270],
      ] as const) {
        const lengths: number[] = [];
        for (let atMs = Date.parse('2026-01-07T12:00Z'); lengths.length < 52; ) {
          const opens = opensAtMs(sundays(from, to), zone, atMs);
          let ends = opens;
          while (opensAtMs(sundays(from, to), zone, ends) === ends) ends += 5 * 60_000;
          lengths.push((ends - opens) / 60_000);
          atMs = ends;
        }
        expect(lengths).toEqual(Array.from({ length: 52 }, () => minutes));
      }
    },
  );

  it('knows how long it is closed, and which zones there are', () => {
    expect(longestClosedMs(nights)).toBe((5 * 24 + 16) * 3_600_000);
    const always = {
      times: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const, from: '00:00', to: '23:59' }],
    };
    expect(longestClosedMs({ times: always.times.map((time) => ({ ...time, days: [...time.days] })) })).toBe(60_000);
    expect([isZone('Europe/Berlin'), isZone('Mars/Base')]).toEqual([true, false]);
    expect(zoneFor({ ...nights, zone: 'Asia/Tokyo' }, 'Europe/Berlin', 'UTC')).toBe('Europe/Berlin');
    expect(zoneFor({ ...nights, zone: 'Asia/Tokyo' }, 'nonsense', 'UTC')).toBe('Asia/Tokyo');
    expect(zoneFor(nights, undefined, 'Asia/Tokyo')).toBe('Asia/Tokyo');
    expect(zoneFor(nights, undefined, null)).toBe('UTC');
  });
});

describe('a device', () => {
  it('rests after failures in other rollouts, from the last one on', () => {
    const settings = { stages, penalty: { failures: 2, rest_s: 60 } };
    const failed = (rollout_id: string, changed_at: number) => ({ rollout_id, state: 'failed' as const, changed_at });
    const all = [
      failed('a', 1_000),
      failed('b', 2_000),
      { rollout_id: 'c', state: 'done' as const, changed_at: 9_000 },
    ];
    expect(restsUntilMs(settings, 'x', all)).toBe(62_000);
    expect(restsUntilMs(settings, 'b', all)).toBe(0);
    expect(restsUntilMs({ stages }, 'x', all)).toBe(0);
  });

  it('has a deadline in each state that has one, and for its probation', () => {
    const settings = { stages, deadlines: { offered_s: 60, installed_s: 120 }, probation_s: 180 };
    const states = ['waiting', 'offered', 'downloading', 'installed', 'probation', 'done'] as const;
    expect(states.map((state) => expiryMs(settings, state, 1_000))).toEqual([
      null,
      61_000,
      null,
      121_000,
      181_000,
      null,
    ]);
  });

  const turn = {
    state: 'running' as const,
    settings: { stages, pace: { per_minute: 1 } },
    openStage: 0,
    stage: 0,
    dueAtMs: null,
    open: 0,
    paceFromMs: 0,
    paceCount: 0,
    opensAtMs: 0,
    restsUntilMs: 0,
  };
  it.each([
    [{ restsUntilMs: 5_000 }, 5_000],
    [{ dueAtMs: 7_000 }, 7_000],
    [{ opensAtMs: 9_000 }, 9_000],
    [{ paceCount: 1 }, 60_000],
    [{ stage: 1 }, undefined],
  ])('with %j waits until %s', (more, untilMs) => {
    expect(whyWait(turn, 1_000)).toBeUndefined();
    expect(whyWait({ ...turn, ...more }, 1_000)?.untilMs).toBe(untilMs);
    expect(whyWait({ ...turn, ...more }, 1_000)).toBeDefined();
  });
});

// API-RULE-poll-1
describe('the next query', () => {
  const poll = { intervalMs: 3_600_000, isSoon: false, atMs: undefined };
  it.each([
    ['comes after the interval, spread by a fifth', poll, 1, 0, 2_880],
    ['to either side', poll, 1, 1, 4_320],
    ['sooner in an open stage', { ...poll, isSoon: true }, 1, 0.5, 60],
    ['later when the service is busy', poll, 4, 0.5, 14_400],
    ['when something is due', { ...poll, atMs: 90_000 }, 1, 0.5, 120],
    ['not for what is due later than that', { ...poll, atMs: 9_000_000 }, 1, 0.5, 3_600],
    ['at once at the soonest', { ...poll, atMs: 10 }, 1, 0, 1],
  ])('%s', (_, of, stretch, chance, seconds) => {
    expect(nextPollS(of, 0, stretch, chance)).toBe(seconds);
  });

  it('a process is busy by the queries of its last seconds', () => {
    const load = new PollLoad();
    expect(load.stretch(1_000_000)).toBe(1);
    for (let n = 0; n < 6_000; n++) load.note(1_000_000);
    expect(load.stretch(1_000_000)).toBe(3);
    for (let n = 0; n < 60_000; n++) load.note(1_000_000);
    expect(load.stretch(1_009_000)).toBe(8);
    expect(load.stretch(1_030_000)).toBe(1);
  });
});
