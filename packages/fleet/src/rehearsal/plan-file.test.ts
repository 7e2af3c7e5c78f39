import type { ShapeRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { parseRollout, parseShape, rehearsable, scaledSettings, scenarioOf, silentPercentOf } from './plan-file.ts';

const shape: ShapeRecord = {
  devices: 10,
  groups: [
    { platform: 'P', version: '1.0.0.0', devices: 6 },
    { platform: 'Q', version: '1.0.0.0', devices: 1 },
    { platform: 'P', version: null, devices: 2 },
    { platform: 'P', version: '2.0.0.0', devices: 1 },
  ],
  attributes: [],
  free_flash: null,
  poll_interval_s: 600,
  seen: { hour: 5, day: 2, week: 1, longer: 1, never: 1 },
  outcomes: { done: 15, failed: { boot: 4, download: 1 } },
};

describe('the file of a planned rollout', () => {
  it('is the body that creates one, without a bundle', () => {
    expect(unwrap(parseRollout('{"settings": {"stages": [{}]}}'))).toEqual({ settings: { stages: [{}] } });
  });

  it.each([
    ['{', 'It is not JSON'],
    ['[]', 'It must hold a JSON object'],
    ['{"stages": []}', 'Key "stages" is unknown'],
    ['{"settings": {"stages": [{"gate": {"soak": 5}}]}}', 'Key "settings.stages.0.gate.soak" is unknown'],
    ['{"settings": {"stages": [{"percent": 101}]}}', 'Key "settings.stages.0.percent" is 101'],
    ['{"template": "bold"}', 'Key "template" is "bold"'],
  ])('%s is refused with its place', (text, message) => {
    expect(parseRollout(text)).toMatchObject({ error: expect.stringContaining(message) });
  });
});

it('a rehearsal asks nobody, and says what it takes for granted', () => {
  const gate = { done_percent: 90, person: true, signal: { within_s: 60 } };
  const asked = { stages: [{ percent: 5, gate }, {}], approval: true, start_at: 5, pace: { open: 3 } };
  expect(rehearsable(asked)).toEqual({
    settings: { stages: [{ percent: 5, gate: { done_percent: 90 } }, {}], pace: { open: 3 } },
    assumed: [
      'It is approved at once',
      'It begins on a Monday at 8:00 UTC',
      'People begin the next stage at once',
      'Signals and addresses that are asked say yes at once',
    ],
  });
  const growth = { start_percent: 5, factor: 2 };
  expect(rehearsable({ growth })).toEqual({ settings: { growth }, assumed: [] });
});

it('counts of devices are scaled to the twins, and it is said how', () => {
  const asked = { stages: [{ count: 90 }, { count: 100 }, { percent: 50 }, {}], pace: { open: 2_000, per_minute: 10 } };
  expect(scaledSettings(asked, 10_000, 200)).toEqual({
    settings: { stages: [{ count: 2 }, { count: 3 }, { percent: 50 }, {}], pace: { open: 40, per_minute: 1 } },
    assumed: [
      '200 twins stand for 10000 devices: "open" 2000 to 40, "per_minute" 10 to 1 (more than its share), ' +
        '"count" of stage 1 90 to 2, "count" of stage 2 100 to 3',
    ],
  });
  expect(scaledSettings({ pace: { open: 1 } }, 10, 5)).toEqual({ settings: { pace: { open: 1 } }, assumed: [] });
  expect(scaledSettings({ stages: [{}] }, 10, 5)).toEqual({ settings: { stages: [{}] }, assumed: [] });
});

describe('the scenario of a shape', () => {
  it('has a group for each version, with the failures of earlier rollouts', () => {
    const { groups } = unwrap(scenarioOf(unwrap(parseShape(JSON.stringify(shape))), '2.0.0.0'));
    const failures = [{ version: '2.0.0.0', fault: 'does_not_boot', percent: 20 }];
    expect(groups).toMatchObject([
      { name: '1.0.0.0', share: 7, version: '1.0.0.0', poll_s: 600, failures },
      { name: 'unknown version', share: 2, poll_s: 600, failures },
    ]);
    expect(silentPercentOf(shape)).toBe(20);
  });

  it('is refused when nobody would get anything', () => {
    const groups = [{ platform: 'P', version: '2.0.0.0', devices: 1 }];
    expect(scenarioOf({ ...shape, groups }, '2.0.0.0')).toMatchObject({ error: expect.stringContaining('2.0.0.0') });
    expect(scenarioOf({ ...shape, groups: [], devices: 0, filter: 'tag==x' }, '2.0.0.0')).toMatchObject({
      error: 'The rollout: "filter" fits no device',
    });
    expect(parseShape('{"devices": -1}')).toMatchObject({ error: expect.any(String) });
  });
});
