import { expect, it } from 'vitest';
import { attributeNameOf, handlingOf, judgeFeedback, partsOf, reportedOf, sleepText } from './rules.ts';

it.each([
  [[undefined], '00:05:00'],
  [[0], '00:00:01'],
  [[61, 3_600], '00:01:01'],
  [[86_400 * 7], '23:59:59'],
] as const)('a client sleeps for the shortest of %j: %s', (spans, text) => {
  expect(sleepText(...spans)).toBe(text);
});

it('outside of a window only a client that waits is shown an update', () => {
  const closed = { force: 'soft', waitMs: 1 } as const;
  expect(handlingOf(closed, 'libcurl-agent/1.0')).toEqual({ isShown: false, update: 'attempt' });
  expect(handlingOf(closed, 'rauc-hawkbit-c-agent/1.4')).toEqual({ isShown: true, update: 'skip' });
  expect(handlingOf({ ...closed, waitMs: 0 }, undefined)).toEqual({ isShown: true, update: 'attempt' });
  expect(handlingOf(undefined, undefined)).toEqual({ isShown: true, update: 'forced' });
});

it.each([
  ['closed', 'success', ['Update Installed.'], 'offered', { trigger: 'confirm', closes: true }],
  ['closed', 'none', undefined, 'installed', { trigger: 'confirm', closes: true }],
  ['closed', 'success', ['Skipped Update.'], 'offered', { trigger: undefined, closes: true }],
  ['closed', 'success', ['Skipped Update.'], 'downloading', { trigger: 'confirm', closes: true }],
  ['closed', 'failure', ['one', 'two', ' '], 'offered', { trigger: 'fail', reason: 'two', closes: true }],
  ['closed', 'failure', null, 'offered', { trigger: 'fail', reason: 'The client reports a failure', closes: true }],
  ['canceled', 'none', [], 'offered', { trigger: 'fail', reason: 'The client has cancelled the update', closes: true }],
  ['proceeding', 'none', ['All Chunks Installed.'], 'downloading', { trigger: 'install', closes: false }],
  ['proceeding', 'none', ['Installed Chunk.'], 'downloading', { trigger: undefined, closes: false }],
  ['download', 'none', [], 'offered', { trigger: 'fetch', closes: false }],
  ['downloaded', 'success', [], 'downloading', { trigger: undefined, closes: false }],
  ['rejected', 'success', [], 'downloading', { trigger: undefined, closes: false }],
  ['scheduled', 'none', [], 'offered', { trigger: undefined, closes: false }],
  ['resumed', 'none', [], 'offered', { trigger: undefined, closes: false }],
] as const)('%s with %s and %j while %s', (execution, finished, details, state, judged) => {
  const status = {
    execution,
    result: { finished },
    ...(details !== undefined && { details: details && [...details] }),
  };
  expect(judgeFeedback({ status }, state)).toEqual(judged);
});

it('a failure is told in up to 500 characters without NUL', () => {
  const status = { execution: 'closed', result: { finished: 'failure' }, details: [`\0${'x'.repeat(600)}`] } as const;
  expect(judgeFeedback({ status: { ...status, details: [...status.details] } }, 'offered').reason).toBe(
    'x'.repeat(500),
  );
});

it('files are grouped by their folder', () => {
  const files = ['a', 'boot/x', 'b', 'boot/y', 'boot/deep/z'].map((filename) => ({ filename }));
  expect(partsOf(files).map(({ part, files: some }) => [part, some.map(({ filename }) => filename)])).toEqual([
    ['os', ['a', 'b']],
    ['boot', ['boot/x', 'boot/y']],
    ['boot/deep', ['boot/deep/z']],
  ]);
});

it.each([
  ['serial', 'serial'],
  ['HW revision', 'HW_revision'],
  ['1st', 'x1st'],
  ['version', 'reported.version'],
  ['a'.repeat(80), 'a'.repeat(64)],
])('the attribute %s is kept as %s', (name, kept) => {
  expect(attributeNameOf(name)).toBe(kept);
});

it('attributes are merged, replaced or removed', () => {
  const known = ['old', 'version'];
  expect(reportedOf({ data: { a: 'b' } }, known)).toEqual({ a: 'b' });
  expect(reportedOf({ data: { a: 'b' }, mode: 'replace' }, known)).toEqual({ old: null, a: 'b' });
  expect(reportedOf({ data: { old: 'x' }, mode: 'remove' }, known)).toEqual({ old: null });
});
