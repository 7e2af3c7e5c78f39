import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { runOf } from '../testing/rehearsal-run.ts';
import { failingRuns, parseConditions } from './fail-if.ts';

describe('conditions of a rehearsal', () => {
  it.each([
    ['reached_before_abort > 2%', true],
    ['reached_before_abort>20%', false],
    ['done < 95 %', true],
    ['failed >= 5', true],
    ['failed <= 4%', false],
    ['half > 2h', false],
    // What never came took longer than any limit.
    ['nearly_all > 1000h', true],
    ['peak_polls > 2', true],
  ])('"%s" holds: %s', (text, holds) => {
    const conditions = unwrap(parseConditions(text));
    const stop = { state: 'paused', reason: 'x', at_s: 60, stage: 0, reached: 10 } as const;
    const run = runOf({ stop, done: 40, failed: 5, devices: 100, half_s: 3600 });
    expect(conditions.map((condition) => failingRuns(condition, [run]).length)).toEqual([holds ? 1 : 0]);
  });

  it.each([
    ['', '"" is no condition such as "reached_before_abort > 2%"'],
    ['done', '"done" is no condition such as "reached_before_abort > 2%"'],
    ['done = 3', '"done = 3" is no condition such as "reached_before_abort > 2%"'],
    ['done > 3, lost > 2', '"lost" is none of reached_before_abort, reached'],
    ['half > 3%', '"half > 3%": half is not in %'],
    ['done > 3h', '"done > 3h": done is not in h'],
  ])('refuses "%s"', (text, message) => {
    expect(parseConditions(text)).toMatchObject({ error: expect.stringContaining(message) });
  });
});
