import { minuteMs } from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, conditionText, messageOf, type OpenAlert, type Telling } from './rules.ts';

const rule = { at_least: 1, gather_minutes: 10 };
const open = (id: string, openedMs: number, ...devices: string[]): OpenAlert => ({
  id,
  openedMs,
  deviceIds: new Set(devices),
});

// API-RULE-alert-2
describe('what a look at a rule finds', () => {
  it('a site that goes dark bit by bit is one alert', () => {
    expect(compare(rule, [], new Set(['a']), 0)).toMatchObject({ opens: ['a'] });
    const found = compare(rule, [open('x', 0, 'a')], new Set(['a', 'b', 'c']), 9 * minuteMs);
    expect(found).toEqual({ over: new Map(), joins: { alertId: 'x', deviceIds: ['b', 'c'] }, opens: [] });
  });

  it('what goes wrong later is another alert, so that an old one hides nothing', () => {
    const found = compare(rule, [open('x', 0, 'a')], new Set(['a', 'b']), 10 * minuteMs);
    expect(found).toMatchObject({ joins: undefined, opens: ['b'] });
    const joined = compare(rule, [open('x', 0, 'a'), open('y', 600_000, 'b')], new Set(['a', 'b', 'c']), 660_000);
    expect(joined).toMatchObject({ joins: { alertId: 'y', deviceIds: ['c'] } });
  });

  it('fewer devices than a rule asks for are no alert yet', () => {
    const three = { ...rule, at_least: 3 };
    expect(compare(three, [], new Set(['a', 'b']), 0).opens).toEqual([]);
    expect(compare(three, [], new Set(['a', 'b', 'c']), 0).opens).toEqual(['a', 'b', 'c']);
    // One that is open gathers single ones.
    expect(compare(three, [open('x', 0, 'a', 'b', 'c')], new Set(['a', 'b', 'c', 'd']), 1).joins?.deviceIds).toEqual([
      'd',
    ]);
  });

  it('what is well again leaves its alert', () => {
    const found = compare(rule, [open('x', 0, 'a', 'b'), open('y', 1, 'c')], new Set(['a']), 2);
    expect(found.over).toEqual(
      new Map([
        ['x', ['b']],
        ['y', ['c']],
      ]),
    );
  });

  it('every wrong device is in exactly one alert, or waits for more', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'));
    fc.assert(
      fc.property(ids, ids, fc.nat(5), fc.nat(1_200_000), (wrong, known, at_least, nowMs) => {
        const alerts = [open('x', 0, ...known.slice(0, 3)), open('y', 300_000, ...known.slice(3))];
        const { over, joins, opens } = compare({ at_least, gather_minutes: 10 }, alerts, new Set(wrong), nowMs);
        const gone = [...over.values()].flat();
        const stays = known.filter((id) => !gone.includes(id));
        const all = [...stays, ...(joins?.deviceIds ?? []), ...opens];
        expect(new Set(all).size).toBe(all.length);
        const missing = wrong.filter((id) => !all.includes(id));
        expect(missing.length === 0 || missing.length < at_least).toBe(true);
        expect(all.every((id) => wrong.includes(id))).toBe(true);
      }),
    );
  });
});

// API-RULE-alert-3
describe('the message of an alert', () => {
  const fresh: Telling = { devices_open: 1, over_at: null, told: 0, tell_at: 100, acknowledged_at: null };
  const told: Telling = { ...fresh, tell_at: null, told: 2 };
  it.each([
    ['waits for those that follow', fresh, null, 99, undefined],
    ['is sent when they had their time', fresh, null, 100, 'raise'],
    ['is none when it is over before', { ...fresh, over_at: 50 }, null, 100, undefined],
    ['is not repeated', { ...told, devices_open: 19 }, null, 200, undefined],
    ['is repeated when ten times as many have gone', { ...told, devices_open: 20 }, null, 200, 'grow'],
    [
      'is not repeated to those who look after it',
      { ...told, devices_open: 20, acknowledged_at: 150 },
      null,
      200,
      undefined,
    ],
    ['says when it is over', { ...told, over_at: 150 }, null, 200, 'clear'],
    ['waits for the end of a silence', fresh, 201, 200, undefined],
    ['comes when a silence is over', fresh, 200, 200, 'raise'],
    ['of its end waits for that too', { ...told, over_at: 150 }, 201, 200, undefined],
  ] as const)('%s', (_, alert, silencedUntil, nowMs, wanted) => {
    expect(messageOf(alert, silencedUntil, nowMs)).toBe(wanted);
  });
});

it.each([
  [{ kind: 'offline', minutes: 1 }, 'not heard from for longer than 1 minute'],
  [{ kind: 'offline', minutes: 90 }, 'not heard from for longer than 90 minutes'],
  [{ kind: 'offline', minutes: 1_440 }, 'not heard from for longer than 1 day'],
  [{ kind: 'update_failed' }, 'the last update failed'],
  [
    { kind: 'stream', stream: 'level', side: 'above', limit: 4.5, minutes: 120 },
    'stream "level" above 4.5 for 2 hours',
  ],
] as const)('%j reads "%s"', (condition, text) => {
  expect(conditionText(condition)).toBe(text);
});
