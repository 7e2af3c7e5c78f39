import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { resolveOptions } from '../command-line/options.ts';
import { settingsOf, settingsOptions } from './settings.ts';

const settings = (flags: Readonly<Record<string, string | true>>) =>
  settingsOf(unwrap(resolveOptions(settingsOptions, { flags, env: {}, file: {} })));

test.each([
  [{ stages: 'all' }, { stages: [{}] }],
  [{ stages: '1%, 50,all' }, { stages: [{ percent: 1 }, { count: 50 }, {}] }],
  [
    { stages: '10%,all', 'gate-done': '95', 'gate-failed': '2.5%', soak: '2h', 'by-hand': true },
    { stages: [{ percent: 10, gate: { done_percent: 95, failed_percent: 2.5, soak_s: 7200, person: true } }, {}] },
  ],
  [
    { stages: 'all', open: '5', 'per-minute': '60' },
    { stages: [{}], pace: { open: 5, per_minute: 60 } },
  ],
  [
    { stages: 'all', 'stop-at': '2%', 'stop-min': '50', 'stop-action': 'roll_back' },
    { stages: [{}], abort: [{ kind: 'any', percent: 2, min: 50, action: 'roll_back' }] },
  ],
  [
    { stages: 'all', 'stop-at': '2' },
    { stages: [{}], abort: [{ kind: 'any', percent: 2, min: 10, action: 'pause' }] },
  ],
  [
    { stages: 'all', retries: '3' },
    { stages: [{}], retry: { count: 3, back_off_s: 600 } },
  ],
  [
    { stages: 'all', 'then-tag': 'release' },
    { stages: [{}], then_tag: 'release' },
  ],
] as const)('%j are settings', (flags, expected) => {
  expect(settings(flags)).toEqual({ ok: true, value: expected });
});

test.each([
  [{}, '--stages'],
  [{ stages: '' }, '--stages'],
  [{ stages: '10%,half' }, '"half"'],
  [{ stages: '-1,all' }, '"-1"'],
  [{ stages: 'all', soak: '2' }, '--soak'],
  [{ stages: 'all', soak: '2 h' }, '--soak'],
  [{ stages: 'all', 'gate-done': '101' }, '--gate-done'],
  [{ stages: 'all', 'gate-failed': 'few' }, '--gate-failed'],
  [{ stages: 'all', 'stop-at': '-1' }, '--stop-at'],
  [{ stages: 'all', 'stop-at': '2', 'stop-min': '0' }, '--stop-min'],
  [{ stages: 'all', 'stop-at': '2', 'stop-action': 'explode' }, '--stop-action'],
  [{ stages: 'all', retries: '1', 'retry-after': 'soon' }, '--retry-after'],
  [{ stages: 'all', 'then-tag': 'gamma' }, '--then-tag'],
] as const)('%j are refused with the name of what is wrong: %s', (flags, named) => {
  expect(settings(flags)).toMatchObject({ ok: false, error: expect.stringContaining(named) });
});
