import { expect, it } from 'vitest';
import { asksForAttributes, attributeNameOf, handlingOf, partsOf, reportedOf, sleepText } from './rules.ts';

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
  ['that has sent none', null, null, null, false, true],
  ['that has sent them', 5, null, null, false, false],
  ['that has sent them since its update ended', 5, 4, 3, false, false],
  ['whose update has ended since', 5, 6, null, false, true],
  ['that a person wants to look again', 5, 4, 6, false, true],
  ['that has to prove what it runs', 5, null, null, true, true],
] as const)(
  'a client %s is asked for its attributes or not',
  (_, reportedAtMs, endedAtMs, askedAtMs, isOnProbation, asked) => {
    expect(asksForAttributes({ reportedAtMs, endedAtMs, askedAtMs, isOnProbation })).toBe(asked);
  },
);

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
