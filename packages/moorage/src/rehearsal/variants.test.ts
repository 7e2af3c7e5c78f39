import type { RolloutSettingsInput } from '@moorage/api';
import { plainScenario } from '@moorage/fleet';
import { expect, it } from 'vitest';
import { variantsOf } from './variants.ts';

const of = (settings: RolloutSettingsInput, more: object = {}) =>
  variantsOf({
    rollout: { title: 'Spring', settings },
    version: '1.0.0.1',
    from: '1.0.0.0',
    scenario: plainScenario,
    devices: 600,
    days: 14,
    ...more,
  }).map(({ rehearsal, settings: name }) => [name, rehearsal.rollout.settings]);

const gate = { done_percent: 90, soak_s: 3_600 };

it('a rollout in stages is rehearsed with half the pace, slower gates and one stage', () => {
  const abort = [{ kind: 'any', percent: 5, min: 10, action: 'pause' }] as const;
  const stages = [{ percent: 10, gate }, { percent: 50 }, {}];
  expect(of({ stages, abort: [...abort], pace: { per_minute: 8, open: 3 } })).toEqual([
    ['half_pace', { stages, abort, pace: { per_minute: 4, open: 3 } }],
    [
      'slow_gates',
      {
        stages: [{ percent: 10, gate: { ...gate, soak_s: 7_200 } }, { percent: 50 }, {}],
        abort,
        pace: { per_minute: 8, open: 3 },
      },
    ],
    ['at_once', { stages: [{}], abort, pace: { per_minute: 8, open: 3 } }],
  ]);
});

it('stages that grow are as good as listed ones', () => {
  const growth = { start_percent: 1, factor: 10, gate };
  expect(of({ growth, pace: { per_minute: 1 } })).toEqual([
    ['slow_gates', { growth: { ...growth, gate: { ...gate, soak_s: 7_200 } }, pace: { per_minute: 1 } }],
    ['at_once', { stages: [{}], pace: { per_minute: 1 } }],
  ]);
});

it('without a pace half of it is half of what devices ask for', () => {
  // 600 devices once an hour.
  expect(of({ stages: [{}] })).toEqual([['half_pace', { stages: [{}], pace: { per_minute: 5 } }]]);
  expect(of({ stages: [{}] }, { pollS: 7_200 })).toEqual([['half_pace', { stages: [{}], pace: { per_minute: 2 } }]]);
  expect(of({ stages: [{}] }, { devices: 30 })).toEqual([]);
});

it('a soak time is never longer than a rollout may have it', () => {
  const stages = [{ percent: 10, gate: { soak_s: 7_000_000 } }, {}];
  expect(of({ stages })[1]).toEqual(['slow_gates', { stages: [{ percent: 10, gate: { soak_s: 7_776_000 } }, {}] }]);
});
