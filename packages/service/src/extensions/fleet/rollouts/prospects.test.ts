import { type RolloutAction, type RolloutState, rolloutStates } from '@moorage/api';
import { describe, expect, it } from 'vitest';
import { endsOf, mayAct, prospectsOf } from './prospects.ts';
import { endedStates, goesOn, noCounts } from './rules.ts';

const settings = { stages: [{ percent: 50 }, {}] };

/** What a person may do with a rollout in each state, and the ends that it can still come to. */
const rows: Readonly<
  Record<RolloutState, readonly [actions: readonly RolloutAction[], ends: readonly RolloutState[]]>
> = {
  draft: [
    ['start', 'cancel'],
    ['finished', 'aborted', 'rolled_back', 'cancelled'],
  ],
  awaiting_approval: [
    ['approve', 'reject', 'cancel'],
    ['finished', 'aborted', 'rolled_back', 'cancelled'],
  ],
  scheduled: [
    ['start', 'cancel'],
    ['finished', 'aborted', 'rolled_back', 'cancelled'],
  ],
  running: [
    ['pause', 'pass', 'abort', 'roll_back'],
    ['finished', 'aborted', 'rolled_back'],
  ],
  paused: [
    ['resume', 'pass', 'abort', 'roll_back'],
    ['finished', 'aborted', 'rolled_back'],
  ],
  // By a retry.
  finished: [['roll_back'], ['finished', 'aborted', 'rolled_back']],
  aborted: [['roll_back'], ['finished', 'aborted', 'rolled_back']],
  rolled_back: [[], []],
  cancelled: [[], []],
};

describe('what can still happen', () => {
  it.each(rolloutStates)('in a rollout that is %s is in the table of its states', (state) => {
    const [actions, ends] = rows[state];
    const counts = [1, 2].map((waiting) => ({ ...noCounts, states: { ...noCounts.states, waiting, done: 5 } }));
    const said = prospectsOf({ state, stage: 0, settings }, counts);
    expect(said).toEqual({
      actions,
      ends: endedStates.filter((end) => ends.includes(end)),
      devices: goesOn({ state }) ? 1 : 0,
    });
    expect(mayAct('pass', { state, stage: 1, settings })).toBe(false);
  });

  it('of a device that waits or is under way is every end as long as its rollout goes on', () => {
    const all = ['done', 'failed', 'skipped', 'left', 'overtaken'];
    for (const state of ['waiting', 'offered', 'downloading', 'installed', 'probation'] as const) {
      for (const rollout of ['running', 'paused'] as const) expect(endsOf(rollout, { state, kind: null })).toEqual(all);
    }
  });

  it.each([
    // By a contradiction first.
    ['running', 'done', null, ['done', 'failed', 'skipped', 'left', 'overtaken']],
    ['running', 'overtaken', null, []],
    ['running', 'left', 'left_out', []],
    ['running', 'left', 'elsewhere', ['done', 'failed', 'skipped', 'left', 'overtaken']],
    ['aborted', 'waiting', null, []],
    ['aborted', 'downloading', null, ['done', 'failed']],
    ['aborted', 'done', null, []],
    ['finished', 'failed', 'boot', ['done']],
    ['rolled_back', 'done', null, ['done', 'failed']],
  ] as const)('of a device in a rollout that is %s, which is %s (%s), is %j', (rollout, state, kind, ends) => {
    expect(endsOf(rollout, { state, kind })).toEqual(ends);
  });
});
