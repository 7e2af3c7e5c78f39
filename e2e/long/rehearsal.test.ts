import { type Clock, VirtualClock } from '@moorage/base';
import { plainScenario } from '@moorage/fleet';
import { serviceInMemory } from '@moorage/service/in-memory';
import { expect, test } from 'vitest';
import { runOnce } from '../../packages/moorage/src/rehearsal/run.ts';

test('twins that wait for their stage poll as their product is set', async () => {
  const settings = { stages: [{ percent: 25, gate: { done_percent: 100, soak_s: 12 * 3_600 } }, {}] };
  const plan = { rollout: { title: 'Slow', settings }, version: '1.0.0.1', from: '1.0.0.0', days: 3 };
  const run = await runOnce({ ...plan, scenario: plainScenario, devices: 4, pollS: 7_200 }, '1', () => {});
  expect(run).toMatchObject({ state: 'finished', done: 4 });
  // A poll comes a fifth and a tenth early at most; beside them are those of the updates.
  const ofWaiting = run.ended_s / (7_200 * 0.8 * 0.9);
  expect(run.load.polls).toBeLessThan(4 * (ofWaiting + 5));
});

test('a service in memory with nothing to do lets hours of virtual time pass with few timers', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 5));
  let ran = 0;
  const counted: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) =>
      clock.after(delayMs, () => {
        ran++;
        task();
      }),
  };
  const { service } = await serviceInMemory(counted);
  await clock.advance(2 * 3_600_000);
  await service.close();
  expect(ran).toBeLessThan(1_000);
});

test('the rollout begins when it is started, however many twins there are', async () => {
  const plan = {
    rollout: { title: 'At once', settings: { stages: [{}] } },
    version: '1.0.0.1',
    from: '1.0.0.0',
    days: 1,
  };
  const run = await runOnce({ ...plan, scenario: plainScenario, devices: 400, pollS: 600 }, '1', () => {});
  expect(run).toMatchObject({ state: 'finished', done: 400 });
  // Each asks within the interval, and half of them within half of it, and then restart.
  expect(run.half_s).toBeLessThan(600);
});

test.each([
  [{ filter: 'label.region==eu' }, '"filter"'],
  [{ settings: { stages: [{ filter: 'title==Pier*' }, {}] } }, '"settings.stages.0.filter"'],
])('a filter that fits none of the twins is refused with its place: %j', async (filtered, place) => {
  const rollout = { title: 'Filtered', settings: { stages: [{}] }, ...filtered };
  const plan = { rollout, version: '1.0.0.1', from: '1.0.0.0', days: 1, scenario: plainScenario, devices: 2 };
  await expect(runOnce(plan, '1', () => {})).rejects.toThrow(`The rollout: ${place} fits none of the twins`);
});
