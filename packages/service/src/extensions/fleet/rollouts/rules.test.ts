import {
  type ExecutionState,
  executionStates,
  type FailureKind,
  type RolloutSettings,
  type RolloutState,
  rolloutStates,
} from '@moorage/api';
import { transition } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import {
  type ExecutionTrigger,
  executionTransitions,
  failureFloor,
  holds,
  noCounts,
  openOf,
  type Progress,
  type RolloutTrigger,
  rolloutTransitions,
  type StageCounts,
  settle,
} from './rules.ts';
import { refuseSettings, stagesOf } from './settings.ts';
import { retryAtMs, whyWait } from './turns.ts';

const counts = (states: Partial<StageCounts['states']>, failures: StageCounts['failures'] = {}): StageCounts => ({
  states: { ...noCounts.states, ...states },
  failures,
});

const unsignalled = { signalled: false, signalUntilMs: null };

// API-RULE-rollout-3
describe('a running rollout', () => {
  const stages = (gate: object) => [{ percent: 10, gate }, {}];
  const progress = (settings: RolloutSettings, first: StageCounts, gateAtMs: number | null = null): Progress => ({
    settings,
    stage: 0,
    counts: [first, counts({ waiting: 90 })],
    gateAtMs,
    ...unsignalled,
  });

  it.each([
    ['waits for every device without a percentage', {}, { done: 9, waiting: 1 }, 'wait'],
    ['goes on when every device has ended', {}, { done: 9, failed: 1 }, 'next'],
    ['goes on when enough run the bundle', { done_percent: 50 }, { done: 5, offered: 5 }, 'next'],
    ['waits below that', { done_percent: 50 }, { done: 4, offered: 6 }, 'wait'],
    ['stops when too many of a stage have failed', { failed_percent: 20 }, { done: 7, failed: 3 }, 'stop'],
    ['goes on at that share', { failed_percent: 20 }, { done: 8, failed: 2 }, 'next'],
    [
      'waits while failures may still be outnumbered',
      { failed_percent: 20 },
      { done: 1, failed: 1, offered: 8 },
      'wait',
    ],
    ['stops when all have ended and too few run the bundle', { done_percent: 90 }, { done: 8, failed: 2 }, 'stop'],
    ['does not count who left', { done_percent: 100 }, { done: 5, left: 3, skipped: 2 }, 'next'],
    ['passes an empty stage', { done_percent: 100 }, {}, 'next'],
    ['waits for a person', { person: true }, { done: 10 }, 'wait'],
  ] as const)('%s', (_, gate, states, kind) => {
    expect(settle(progress({ stages: stages(gate) }, counts(states)), 0)).toMatchObject({ kind });
  });

  it('soaks from the moment at which its gate holds, and not longer', () => {
    const settings = { stages: stages({ soak_s: 60 }) };
    const done = counts({ done: 10 });
    expect(settle(progress(settings, done), 1_000)).toMatchObject({ kind: 'wait', gateAtMs: 61_000 });
    expect(settle(progress(settings, done, 61_000), 60_999)).toMatchObject({ kind: 'wait', gateAtMs: 61_000 });
    expect(settle(progress(settings, done, 61_000), 61_000)).toEqual({ kind: 'next' });
    expect(settle(progress(settings, counts({ done: 9, offered: 1 }), 61_000), 61_000)).toMatchObject({
      kind: 'wait',
      gateAtMs: null,
    });
  });

  it('is stopped by a rule from its least number of devices on, by kind', () => {
    const abort = [{ kind: 'boot' as const, percent: 20, min: 10, action: 'abort' as const }];
    const settings = { stages: stages({}), abort };
    const of = (done: number, boot: number, download: number) =>
      settle(progress(settings, counts({ done, failed: boot + download, waiting: 50 }, { boot, download })), 0);
    expect(of(7, 2, 0)).toMatchObject({ kind: 'wait' });
    expect(of(8, 2, 0)).toMatchObject({ kind: 'stop', action: 'abort' });
    expect(of(7, 1, 2)).toMatchObject({ kind: 'wait' });
    expect(of(8, 2, 0)).toHaveProperty(
      'reason',
      expect.stringContaining('2 of 10 devices failed (boot): 20 %, at least 5.7 %'),
    );
  });

  it('is over when the last device of the last stage has ended', () => {
    const settings = { stages: [{}] };
    const last = (states: object) =>
      settle({ settings, stage: 0, counts: [counts(states)], gateAtMs: null, ...unsignalled }, 0);
    expect(last({ done: 9, failed: 1 })).toEqual({ kind: 'finish', reason: null });
    expect(last({ done: 9, installed: 1 })).toMatchObject({ kind: 'wait' });
  });
});

describe('settings', () => {
  it.each([
    ['percent and count', [{ percent: 1, count: 1 }, {}]],
    ['neither', [{}, {}]],
    ['a stage that does not grow', [{ percent: 10 }, { percent: 10 }, {}]],
    ['a count that does not grow', [{ count: 10 }, { count: 5 }, {}]],
    ['a last stage that leaves some', [{ percent: 10 }, { percent: 50 }]],
    ['a gate after the last stage', [{ gate: { done_percent: 50 } }]],
  ])('%s are refused with the place', (_, stages) => {
    expect(refuseSettings({ stages })).toMatchObject({
      code: 'INVALID_REQUEST',
      validation: { keys: [expect.stringMatching(/^settings\.stages\.\d$/)] },
    });
  });

  it.each([
    [[{ percent: 1 }, { percent: 10 }, {}], 1000, [10, 100, 1000]],
    [[{ percent: 1 }, {}], 7, [1, 7]],
    [[{ count: 5 }, { percent: 50 }, {}], 4, [4, 4, 4]],
    [[{}], 0, [0]],
  ])('%j of %i devices end at %j', (stages, devices, ends) => {
    expect(refuseSettings({ stages })).toBeUndefined();
    const placed = stagesOf({ stages }, Array(devices).fill(undefined));
    expect(stages.map((_, stage) => placed.filter((other) => other <= stage).length)).toEqual(ends);
  });

  it('a retry is due twice as late each time, up to its number, for its kinds', () => {
    const settings = { stages: [{}], retry: { count: 2, back_off_s: 10, kinds: ['download' as FailureKind] } };
    expect([1, 2, 3].map((attempt) => retryAtMs(settings, 'download', attempt, 0))).toEqual([
      10_000,
      20_000,
      undefined,
    ]);
    expect(retryAtMs(settings, 'boot', 1, 0)).toBeUndefined();
  });

  it('the floor of a share of failures rises with the number of devices', () => {
    expect(failureFloor(0, 0)).toBe(0);
    expect(failureFloor(0, 10)).toBe(0);
    expect(failureFloor(2, 10)).toBeCloseTo(5.67, 1);
    expect(failureFloor(200, 1000)).toBeCloseTo(17.6, 1);
  });
});

it.each(rolloutStates.flatMap((rollout) => executionStates.map((execution) => [rollout, execution] as const)))(
  'a rollout that is %s holds a device that is %s only as the table says',
  (rollout, execution) => {
    const keeps: Partial<Record<RolloutState, readonly ExecutionState[]>> = {
      running: ['offered', 'downloading', 'installed', 'probation', 'done'],
      paused: ['offered', 'downloading', 'installed', 'probation', 'done'],
      finished: ['done', 'probation'],
      aborted: ['done', 'probation'],
      // Of those that still have a say: where it names a bundle to go back to.
      rolled_back: ['done', 'probation', 'offered', 'downloading', 'installed'],
    };
    expect(holds(rollout, execution)).toBe(keeps[rollout]?.includes(execution) ?? false);
  },
);

/** A whole small rollout, as the engine drives it over a database. */
interface Model {
  readonly state: RolloutState;
  readonly stage: number;
  readonly devices: readonly { readonly state: ExecutionState; readonly attempt: number }[];
  /** Whether the open stage has its signal from outside. */
  readonly signalled: boolean;
}

/** Every order of reports and actions of a fleet of four devices. Spec: API-RULE-rollout-3, API-RULE-rollout-4. */
describe('the model of a rollout', () => {
  const stageOf = [0, 1, 1, 2];
  const settings: RolloutSettings = {
    stages: [
      { count: 1, gate: { done_percent: 100 } },
      { count: 3, gate: { failed_percent: 50, signal: { within_s: 10 } } },
      {},
    ],
    pace: { open: 2 },
    abort: [{ kind: 'any', percent: 60, min: 2, action: 'pause' }],
    retry: { count: 1, back_off_s: 0 },
    probation_s: 60,
  };
  const countsOf = ({ devices }: Model): StageCounts[] =>
    settings.stages.map((_, stage) => {
      const states = { ...noCounts.states };
      for (const [index, { state }] of devices.entries()) if (stageOf[index] === stage) states[state]++;
      return { states, failures: { boot: states.failed } };
    });

  function settled(model: Model): Model {
    let now = model;
    while (now.state === 'running') {
      const outcome = settle(
        {
          settings,
          stage: now.stage,
          counts: countsOf(now),
          gateAtMs: null,
          signalled: now.signalled,
          signalUntilMs: null,
        },
        0,
      );
      if (outcome.kind === 'wait') return now;
      if (outcome.kind === 'next') {
        now = { ...now, stage: now.stage + 1, signalled: false };
        continue;
      }
      const trigger = outcome.kind === 'finish' ? 'finish' : outcome.action;
      now = { ...now, state: transition(rolloutTransitions, now.state, trigger) ?? now.state };
    }
    return now;
  }

  function moved(model: Model, index: number, trigger: ExecutionTrigger): Model | undefined {
    const device = model.devices[index];
    const to = device && transition(executionTransitions, device.state, trigger);
    if (!device || to === undefined) return undefined;
    const fails = to === 'failed' && retryAtMs(settings, 'boot', device.attempt, 0) !== undefined;
    const next = fails ? { state: 'waiting' as const, attempt: device.attempt + 1 } : { ...device, state: to };
    return settled({ ...model, devices: model.devices.with(index, next) });
  }

  function* nexts(model: Model): Generator<readonly [string, Model]> {
    if (model.state === 'running' && !model.signalled) yield ['signal', settled({ ...model, signalled: true })];
    for (const trigger of [
      'ask',
      'reject',
      'schedule',
      'cancel',
      'start',
      'pause',
      'resume',
      'pass',
      'abort',
      'roll_back',
    ] as const satisfies RolloutTrigger[]) {
      const to = transition(rolloutTransitions, model.state, trigger);
      if (to === undefined) continue;
      const isLast = model.stage === settings.stages.length - 1;
      if (trigger === 'pass' && isLast) continue;
      yield [
        trigger,
        settled({ ...model, state: to, ...(trigger === 'pass' && { stage: model.stage + 1, signalled: false }) }),
      ];
    }
    for (const index of model.devices.keys()) {
      const device = model.devices[index];
      const turn = {
        state: model.state,
        settings,
        openStage: model.stage,
        stage: stageOf[index] ?? 0,
        dueAtMs: null,
        open: openOf(countsOf(model)),
        paceFromMs: 0,
        paceCount: 0,
        opensAtMs: 0,
        restsUntilMs: 0,
      };
      if (device?.state === 'waiting' && whyWait(turn, 0) === undefined) {
        const offered = moved(model, index, 'offer');
        if (offered) yield [`offer ${index}`, offered];
      }
      for (const trigger of ['install', 'try', 'pass', 'contradict', 'fail', 'withdraw'] as const) {
        // What waits has no update that could move, and what a rollout that has ended has brought is not judged any more.
        const isOver = trigger === 'contradict' && model.state !== 'running' && model.state !== 'paused';
        const next = device?.state === 'waiting' || isOver ? undefined : moved(model, index, trigger);
        if (next) yield [`${trigger} ${index}`, next];
      }
    }
  }

  /** There are too many for an assertion of its own each. */
  const promise = (isKept: boolean, event: string, model: Model) => {
    if (!isKept) expect.fail(`${event}: ${JSON.stringify(model)}`);
  };

  it('keeps its promises in every state that can be reached', () => {
    const first: Model = {
      state: 'draft',
      stage: 0,
      devices: stageOf.map(() => ({ state: 'waiting', attempt: 1 })),
      signalled: false,
    };
    const seen = new Set<string>();
    const waiting: Model[] = [first];
    const reached = new Set<RolloutState>();
    for (let model = waiting.pop(); model; model = waiting.pop()) {
      const key = JSON.stringify(model);
      if (seen.has(key)) continue;
      seen.add(key);
      reached.add(model.state);
      const all = countsOf(model);
      const isOpen = (state: ExecutionState) => ['offered', 'downloading', 'installed'].includes(state);
      promise(openOf(all) === model.devices.filter(({ state }) => isOpen(state)).length, 'open updates', model);
      for (const [event, next] of nexts(model)) {
        const offered = /^offer (\d)$/.exec(event)?.[1];
        if (offered !== undefined) {
          promise(model.state === 'running', event, model);
          promise((stageOf[Number(offered)] ?? 9) <= model.stage, event, model);
          promise(openOf(all) < 2, event, model);
        }
        // A stage opens by its gate or by a person, never by an offer; and no stage closes again.
        promise(next.stage >= model.stage, event, model);
        if (model.state !== 'running' && model.state !== 'paused') promise(next.stage === model.stage, event, model);
        if (next.stage > model.stage && event !== 'pass') {
          const states = countsOf(next)[model.stage]?.states;
          promise((states?.done ?? 0) + (states?.failed ?? 0) > 0, event, model);
          // The second stage is followed by the third with a signal from outside only.
          if (next.stage === 2) promise(event === 'signal' || model.signalled, event, model);
        }
        waiting.push(next);
      }
    }
    expect(reached).toEqual(new Set(rolloutStates));
    expect(seen.size).toBeGreaterThan(1_000);
  });
});
