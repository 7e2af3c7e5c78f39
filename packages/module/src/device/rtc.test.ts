import { VirtualClock } from '@moorage/base';
import { expect, test } from 'vitest';
import { Rtc } from './rtc.ts';

test('the clock starts at the epoch with each boot, and knows the time once it is set', async () => {
  const clock = new VirtualClock(1_700_000_000_000);
  await clock.advance(5000);
  const rtc = new Rtc(clock);
  await clock.advance(1500);
  expect([rtc.nowMs(), rtc.uptimeMs(), rtc.sinceSetMs(), rtc.isSet]).toEqual([1500, 1500, -1, false]);
  rtc.set(1_395_562_387_000);
  expect([rtc.nowMs(), rtc.sinceSetMs(), rtc.isSet]).toEqual([1_395_562_387_000, 0, true]);
  await clock.advance(250);
  expect([rtc.nowMs(), rtc.uptimeMs(), rtc.sinceSetMs()]).toEqual([1_395_562_387_250, 1750, 250]);
  rtc.restart();
  expect([rtc.nowMs(), rtc.uptimeMs(), rtc.sinceSetMs(), rtc.isSet]).toEqual([0, 0, -1, false]);
});
