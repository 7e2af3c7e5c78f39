import { VirtualClock } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { loginThrottle } from './throttle.ts';

const minuteMs = 60_000;
const open = { ok: true };
const closedFor = (retryAfterS: number) => ({ ok: false, error: { retryAfterS } });

// API-LIMIT-login
describe('login throttle', () => {
  const fail = (throttle: ReturnType<typeof loginThrottle>, times: number, address = '1.1.1.1', name = 'maker') => {
    for (let time = 0; time < times; time++) expect(throttle.begin(address, name)).toMatchObject(open);
  };

  it('closes after ten failures and opens when the first is 15 minutes old', async () => {
    const clock = new VirtualClock();
    const throttle = loginThrottle(clock);
    fail(throttle, 1);
    await clock.advance(minuteMs);
    fail(throttle, 9);
    expect(throttle.begin('1.1.1.1', 'maker')).toEqual(closedFor(14 * 60));
    await clock.advance(14 * minuteMs - 1);
    expect(throttle.begin('1.1.1.1', 'maker')).toEqual(closedFor(1));
    await clock.advance(1);
    fail(throttle, 1);
    expect(throttle.begin('1.1.1.1', 'maker')).toEqual(closedFor(60));
  });

  it('counts each address and name apart, whatever the case of the name', () => {
    const throttle = loginThrottle(new VirtualClock());
    fail(throttle, 10);
    expect(throttle.begin('1.1.1.1', 'MAKER').ok).toBe(false);
    fail(throttle, 10, '2.2.2.2');
    fail(throttle, 10, '1.1.1.1', 'other');
  });

  it('forgets failures after a success', () => {
    const throttle = loginThrottle(new VirtualClock());
    fail(throttle, 9);
    const attempt = throttle.begin('1.1.1.1', 'maker');
    if (attempt.ok) attempt.value.succeeded();
    fail(throttle, 10);
  });

  it('counts attempts that are still under way', () => {
    const throttle = loginThrottle(new VirtualClock());
    const attempts = Array.from({ length: 20 }, () => throttle.begin('1.1.1.1', 'maker'));
    expect(attempts.filter(({ ok }) => ok).length).toBe(10);
  });
});
