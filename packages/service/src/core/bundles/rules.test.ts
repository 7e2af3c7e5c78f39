import { bundleStates, type Tag, tags } from '@moorage/api';
import {
  compareVersions,
  formatVersion,
  maxFreeVersionPart,
  parseFullVersion,
  unwrap,
  type Version,
} from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BundleTrigger,
  bundleTransitions,
  changeBundleState,
  changeBundleTag,
  chooseBundleVersion,
  formatBversion,
  refuseResourceChange,
} from './rules.ts';

const triggers: readonly BundleTrigger[] = [...bundleStates, 'trash'];
const version = (text: string): Version => unwrap(parseFullVersion(text, maxFreeVersionPart));

describe('state of a bundle', () => {
  // Every state x trigger: what is not named here is refused. API-RULE-bundle-state-4
  const allowed: Readonly<Record<string, BundleTrigger>> = {
    'preview published': 'published', // API-STATE-bundle-preview-published
    'preview trash': 'trash', // API-STATE-bundle-preview-trash
    'archive published': 'published', // API-STATE-bundle-archive-published
    'archive trash': 'trash', // API-STATE-bundle-archive-trash
    'published archive': 'archive', // API-STATE-bundle-published-archive
  };
  const cases = bundleStates.flatMap((state) => triggers.map((trigger) => ({ state, trigger })));

  it.each(cases)('$state with trigger $trigger follows the table', ({ state, trigger }) => {
    const outcome = changeBundleState({ state, tag: null }, trigger);
    const to = allowed[`${state} ${trigger}`];
    if (state === trigger) expect(outcome).toEqual({ ok: true, value: undefined });
    else if (to) expect(outcome).toEqual({ ok: true, value: to });
    else {
      expect(outcome).toMatchObject({ ok: false, error: { code: 'ILLEGAL_TRANSITION' } });
      expect(outcome).toMatchObject({ error: { message: `A bundle in state ${state} cannot become ${trigger}` } });
    }
  });

  it.each(cases)('$state with trigger $trigger is refused on a tagged bundle unless it has that state', (row) => {
    const outcome = changeBundleState({ state: row.state, tag: 'beta' }, row.trigger); // API-RULE-tag-2
    if (row.state === row.trigger)
      expect(outcome).toEqual({ ok: true, value: undefined }); // API-RULE-bundle-1
    else expect(outcome).toMatchObject({ ok: false, error: { code: 'BUNDLE_TAGGED' } });
  });

  it('table starts bundles in preview (API-STATE-bundle-none-preview)', () => {
    expect(bundleTransitions.filter(({ from }) => from === 'none')).toEqual([
      { from: 'none', trigger: 'create', to: 'preview' },
    ]);
  });

  it.each(bundleStates)('%s decides whether resources may change (API-RULE-bundle-state-1)', (state) => {
    expect(refuseResourceChange(state)?.code).toBe(state === 'preview' ? undefined : 'BUNDLE_FROZEN');
  });
});

describe('tag of a bundle', () => {
  const held: readonly (Tag | null)[] = [null, ...tags];
  const wanted: readonly (Tag | '')[] = ['', ...tags];
  const cases = bundleStates.flatMap((state) => held.flatMap((tag) => wanted.map((want) => ({ state, tag, want }))));

  it.each(cases)('$state bundle with tag $tag asked for "$want"', ({ state, tag, want }) => {
    const outcome = changeBundleTag({ state, tag }, want);
    // API-RULE-bundle-state-2, API-RULE-bundle-state-3, API-RULE-tag-3
    if (want !== '' && state !== 'published') {
      expect(outcome).toMatchObject({ ok: false, error: { code: 'BUNDLE_NOT_PUBLISHED' } });
    } else {
      expect(outcome).toEqual({ ok: true, value: (want || null) === tag ? undefined : want || null });
    }
  });
});

describe('version of a new bundle', () => {
  // API-RULE-bundle-create-3, API-RULE-bundle-2, API-RULE-bundle-3, API-VER-1
  it.each([
    { wanted: undefined, highest: undefined, gives: '0.0.0.1' },
    { wanted: null, highest: undefined, gives: '0.0.0.1' },
    { wanted: '', highest: undefined, gives: '0.0.0.1' },
    { wanted: '  ', highest: '0.9.0.11', gives: '0.9.0.12' },
    { wanted: '', highest: '0.9.0.9', gives: '0.9.0.10' },
    { wanted: undefined, highest: '1.2.3.65535', gives: '1.2.3.65536' },
    { wanted: '0.0.0.0', highest: '9.0.0.0', gives: '0.0.0.0' },
    { wanted: ' 1.2.3.4 ', highest: undefined, gives: '1.2.3.4' },
    { wanted: '01.002.3.4', highest: undefined, gives: '1.2.3.4' },
    { wanted: '65535.65535.65535.65535', highest: undefined, gives: '65535.65535.65535.65535' },
  ])('asked for $wanted after $highest is $gives', ({ wanted, highest, gives }) => {
    const outcome = chooseBundleVersion(wanted, highest === undefined ? undefined : version(highest));
    expect(formatVersion(unwrap(outcome))).toBe(gives);
  });

  it.each([
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.1000000000000000',
    '1.2.3.-4',
    '1.2.3.x',
    'v1.2.3.4',
    '1..3.4',
    '1.2.3.4e1',
    '٣.1.1.1',
  ])('"%s" is refused as malformed', (wanted) => {
    expect(chooseBundleVersion(wanted, undefined)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_VERSION', validation: { source: 'body', keys: ['version'] } },
    });
  });

  it('is refused when the highest has no successor', () => {
    const highest = version('0.0.0.999999999999999');
    expect(chooseBundleVersion('', highest)).toMatchObject({ ok: false, error: { code: 'VERSIONS_EXHAUSTED' } });
  });

  const part = fc.integer({ min: 0, max: maxFreeVersionPart });
  const anyVersion = fc.tuple(part, part, part, part);

  it('chosen by the service is above every existing one and the lowest such in its last part', () => {
    fc.assert(
      fc.property(fc.array(anyVersion, { minLength: 1, maxLength: 20 }), (existing) => {
        const highest = existing.reduce((a, b) => (compareVersions(a, b) >= 0 ? a : b));
        fc.pre(highest[3] < maxFreeVersionPart);
        const chosen = unwrap(chooseBundleVersion('', highest));
        expect(existing.every((each) => compareVersions(chosen, each) > 0)).toBe(true);
        expect(chosen).toEqual([highest[0], highest[1], highest[2], highest[3] + 1]);
      }),
    );
  });

  it('asked for is what is given, whatever exists', () => {
    fc.assert(
      fc.property(anyVersion, fc.option(anyVersion, { nil: undefined }), (wanted, highest) => {
        expect(unwrap(chooseBundleVersion(formatVersion(wanted), highest))).toEqual(wanted);
      }),
    );
  });
});

it('bversion joins product, version, UTC time and firmware (API-RULE-bundle-5)', () => {
  const bundle = {
    product: 'ACME-BRT106_DEMO',
    version: '0.9.0.12',
    createdAtMs: Date.UTC(2024, 1, 29, 23, 59, 58, 999),
    firmwareLabel: '2.2',
    firmwareVersion: '1.0.0.4',
  };
  expect(formatBversion(bundle)).toBe('ACME-BRT106_DEMO-0.9.0.12, 2024-02-29T23:59:58Z, 2.2-1.0.0.4');
});
