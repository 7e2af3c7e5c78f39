import type { RolloutRecord } from '@moorage/api';
import { expect, it } from 'vitest';
import { observe } from './observe.ts';

const none = {
  waiting: 0,
  offered: 0,
  downloading: 0,
  installed: 0,
  probation: 0,
  done: 0,
  failed: 0,
  skipped: 0,
  left: 0,
};

/** A rollout of two stages of ten, as far as it is looked at. */
function rolloutAt(state: RolloutRecord['state'], first: Partial<typeof none>, second: Partial<typeof none>, open = 0) {
  const stages = [first, second].map((counts, index) => ({
    total: 10,
    state: index === open ? 'open' : index < open ? 'passed' : 'waiting',
    counts: { ...none, ...counts },
    failures: {},
  }));
  const settings = { stages: [{ gate: { done_percent: 80 } }, {}] };
  return { state, reason: 'why', stage: open, settings, stages } as unknown as RolloutRecord;
}

it('notes when a stage opened, had what its gate asks for, and passed; and how far a rollout got that stopped', async () => {
  const seen = [
    rolloutAt('running', { waiting: 10 }, { waiting: 10 }),
    rolloutAt('running', { waiting: 10 }, { waiting: 10 }),
    rolloutAt('running', { done: 8, offered: 2 }, { waiting: 10 }),
    rolloutAt('running', { done: 9, failed: 1 }, { waiting: 10 }),
    rolloutAt('running', { done: 9, failed: 1 }, { waiting: 6, installed: 4 }, 1),
    rolloutAt('paused', { done: 9, failed: 1 }, { waiting: 5, failed: 4, skipped: 1 }, 1),
  ];
  const times: number[] = [];
  const observed = await observe({
    look: async () => seen.shift() ?? rolloutAt('finished', {}, {}),
    goTo: async (atMs) => void times.push(atMs),
    startMs: 1_000,
    days: 1,
    progress: () => {},
  });
  expect(observed).toEqual({
    state: 'paused',
    ended_s: 240,
    stages: [
      { devices: 10, opened_s: 0, ready_s: 60, passed_s: 180, done: 9, failed: 1 },
      { devices: 10, opened_s: 180, ready_s: null, passed_s: null, done: 0, failed: 4 },
    ],
    stop: { state: 'paused', reason: 'why', at_s: 240, stage: 1, reached: 14 },
  });
  expect(times).toEqual([1_000, 61_000, 121_000, 181_000, 241_000]);
});

it('looks no further than it was told', async () => {
  const watched = {
    look: async () => rolloutAt('running', {}, {}),
    goTo: async () => {},
    startMs: 0,
    progress: () => {},
  };
  expect(await observe({ ...watched, days: 2 })).toMatchObject({ state: 'running', ended_s: 172_800, stop: null });
});
