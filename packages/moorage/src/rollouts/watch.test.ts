import { executionStates, type RolloutRecord, type RolloutState } from '@moorage/api';
import { VirtualClock } from '@moorage/base';
import { expect, test } from 'vitest';
import { CallError } from '../client/service-client.ts';
import { changeLines } from './texts.ts';
import { watchRollout } from './watch.ts';

type Counts = RolloutRecord['stages'][number]['counts'];
// Safe: every state gets its number.
const none = Object.fromEntries(executionStates.map((state) => [state, 0])) as Counts;

function rollout(state: RolloutState, done = 0, more: Partial<RolloutRecord> = {}): RolloutRecord {
  const counts = { ...none, done, waiting: 2 - done };
  return {
    id: 'r',
    product_id: 'p',
    product: 'P',
    bundle_id: 'b',
    bundle: '1.0.0.1',
    title: 'Spring',
    filter: null,
    priority: 0,
    settings: { stages: [{ count: 2 }, {}] },
    state,
    reason: null,
    stage: 0,
    stages: [
      { total: 2, state: 'open', counts, failures: {} },
      { total: 3, state: 'waiting', counts: { ...none, waiting: 3 }, failures: {} },
    ],
    abort: [],
    can_still: { ends: [], devices: 0, actions: [] },
    created_by: null,
    approved_by: null,
    due_at: null,
    created_at: '0',
    started_at: '0',
    finished_at: null,
    ...more,
  };
}

/** A watch over looks that are given beforehand; the last one stays. */
function watch(
  looks: readonly (RolloutRecord | CallError)[],
  { isLive = false, timeoutMs = undefined as number | undefined } = {},
) {
  const clock = new VirtualClock();
  const seen = { looks: 0, changes: [] as RolloutRecord[], trouble: [] as string[], closed: 0 };
  let onNews = (): void => {};
  const close = (): void => {
    seen.closed += 1;
  };
  const end = watchRollout({
    clock,
    timeoutMs,
    async look() {
      const found = looks[Math.min(seen.looks, looks.length - 1)] as RolloutRecord | CallError;
      seen.looks += 1;
      if (found instanceof CallError) throw found;
      return found;
    },
    follow(listener) {
      onNews = listener;
      return { isLive: () => isLive, close };
    },
    onChange: (now) => void seen.changes.push(now),
    onTrouble: (message) => void seen.trouble.push(message),
  });
  return { clock, seen, end, news: () => onNews() };
}

test.each([
  ['finished', 'finished'],
  ['aborted', 'stopped'],
  ['rolled_back', 'stopped'],
  ['paused', 'paused'],
] as const)('a rollout that is %s ends a watch: %s', async (state, end) => {
  const { seen, ...watched } = watch([rollout(state)]);
  expect(await watched.end).toBe(end);
  expect(seen).toMatchObject({ looks: 1, closed: 1 });
});

test('without live events a watch looks every two seconds, and reports changes once', async () => {
  const { clock, seen, end } = watch([
    rollout('running'),
    rollout('running'),
    rollout('running', 1),
    rollout('finished', 2),
  ]);
  for (const looks of [2, 3, 4]) {
    await clock.advance(2_000);
    expect(seen.looks).toBe(looks);
  }
  expect(await end).toBe('finished');
  expect(seen.changes.map(({ stages }) => stages[0]?.counts.done)).toEqual([0, 1, 2]);
});

test('news of the service lead to a look, many of them to one', async () => {
  const { clock, seen, end, news } = watch([rollout('running'), rollout('running', 1), rollout('finished', 2)], {
    isLive: true,
  });
  await clock.advance(10_000);
  expect(seen.looks).toBe(1);
  for (let count = 0; count < 100; count++) news();
  await clock.advance(200);
  expect(seen.looks).toBe(2);
  news();
  await clock.advance(200);
  expect(await end).toBe('finished');
});

test('a service that is away for a while ends no watch, and is mentioned once', async () => {
  const away = new CallError('http://quay cannot be reached', 0, 1);
  const { clock, seen, end } = watch([rollout('running'), away, away, rollout('finished')], { isLive: true });
  await clock.advance(15_000);
  await clock.advance(2_000);
  await clock.advance(2_000);
  expect(await end).toBe('finished');
  expect(seen.trouble).toEqual(['http://quay cannot be reached']);
});

test('a refusal for good ends a watch, and so does the time', async () => {
  const { end, seen } = watch([new CallError('Rollout not found', 404, 1)]);
  await expect(end).rejects.toThrow('Rollout not found');
  expect(seen.closed).toBe(1);
  const timed = watch([rollout('running')], { isLive: true, timeoutMs: 5_000 });
  await timed.clock.advance(5_000);
  expect(await timed.end).toBe('timeOut');
});

test('changes are said line by line: what opened, what counts, and the state', () => {
  const before = rollout('running');
  expect(changeLines(undefined, before)).toEqual([
    'Stage 1 of 2: 0 of 2 done, 0 failed, 0 under way',
    'The rollout is running',
  ]);
  expect(changeLines(before, before)).toEqual([]);
  const [first, second] = rollout('running', 2).stages;
  if (!first || !second) throw new Error('The rollout has two stages');
  const counts = { ...none, failed: 1, offered: 1, done: 1 };
  const stages = [
    { ...first, state: 'passed' as const },
    { ...second, state: 'open' as const, counts, failures: { boot: 1 } },
  ];
  expect(changeLines(before, rollout('paused', 2, { stage: 1, stages, reason: '1 of 4 failed' }))).toEqual([
    'Stage 1 of 2: 2 of 2 done, 0 failed, 0 under way',
    'Stage 2 of 2: 1 of 3 done, 1 failed (boot 1), 1 under way',
    'The rollout is paused: 1 of 4 failed',
  ]);
});
