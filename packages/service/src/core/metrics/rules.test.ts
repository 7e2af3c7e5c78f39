import { dayMs, hourMs } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { bucketsOf, seriesOf } from './rules.ts';

const nowMs = Date.UTC(2026, 5, 17, 13, 30);

describe('intervals of activity', () => {
  it.each([
    [{}, Date.UTC(2026, 4, 18), 31, dayMs],
    [{ interval: 'hour', from: nowMs - hourMs }, Date.UTC(2026, 5, 17, 12), 2, hourMs],
    [{ interval: 'week' }, Date.UTC(2026, 4, 18), 5, 7 * dayMs],
    [{ from: 0, to: 1, interval: 'week' }, -3 * dayMs, 1, 7 * dayMs],
  ] as const)('of %j begin at whole ones, weeks on Monday', (query, origin, count, stepMs) => {
    expect(bucketsOf(query, nowMs)).toMatchObject({ ok: true, value: { origin, count, stepMs } });
  });

  // API-LIMIT-activity
  it('may be 2,500, and no more', () => {
    const hours = (count: number) => bucketsOf({ from: 0, to: count * hourMs, interval: 'hour' }, nowMs);
    expect(hours(2_500)).toMatchObject({ ok: true, value: { count: 2_500 } });
    expect(hours(2_501)).toMatchObject({ ok: false, error: { validation: { keys: ['interval'] } } });
  });

  // API-LIMIT-activity
  it.each([
    [{ from: nowMs, to: nowMs }, 'from'],
    [{ from: 2, to: 1 }, 'from'],
    [{ from: 0, interval: 'hour' }, 'interval'],
  ] as const)('of %j are refused', (query, key) => {
    expect(bucketsOf(query, nowMs)).toMatchObject({
      ok: false,
      error: { validation: { source: 'query', keys: [key] } },
    });
  });

  it('without an event are zeros, and types add up to their figure', () => {
    const buckets = bucketsOf({ from: 0, to: 3 * dayMs }, nowMs);
    if (!buckets.ok) throw new Error('Refused');
    const series = seriesOf(buckets.value, [
      { bucket: 1, type: 'ota.check', n: 2 },
      { bucket: 1, type: 'ota.none', n: 3 },
      { bucket: 2, type: 'user.login', n: 1 },
    ]);
    expect(series.map(({ at }) => at)).toEqual(['0', String(dayMs), String(2 * dayMs)]);
    expect(series.map(({ ota_check, login, claim }) => [ota_check, login, claim])).toEqual([
      [0, 0, 0],
      [5, 0, 0],
      [0, 1, 0],
    ]);
  });
});
