import { bundleStates, type Tag, tags } from '@moorage/api';
import { compareVersions, formatVersion, maxVersionPart, parseVersion, unwrap, type Version } from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BundleTrigger,
  bundleTransitions,
  changeBundleState,
  changeBundleTag,
  chooseBundleVersion,
  fileEtag,
  formatBversion,
  mimeOfFilename,
  moduleFileType,
  moduleFileTypes,
  readUpload,
  refuseResourceChange,
} from './rules.ts';

const triggers: readonly BundleTrigger[] = [...bundleStates, 'trash'];
const version = (text: string): Version => unwrap(parseVersion(text));

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
    { wanted: undefined, highest: '1.2.3.65535', gives: '1.2.4.0' },
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
    '1.2.3.65536',
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
    const highest = version('65535.65535.65535.65535');
    expect(chooseBundleVersion('', highest)).toMatchObject({ ok: false, error: { code: 'VERSIONS_EXHAUSTED' } });
  });

  const part = fc.integer({ min: 0, max: maxVersionPart });
  const anyVersion = fc.tuple(part, part, part, part);

  it('chosen by the service is above every existing one and the lowest such in its last part', () => {
    fc.assert(
      fc.property(fc.array(anyVersion, { minLength: 1, maxLength: 20 }), (existing) => {
        const highest = existing.reduce((a, b) => (compareVersions(a, b) >= 0 ? a : b));
        fc.pre(highest.some((each) => each < maxVersionPart));
        const chosen = unwrap(chooseBundleVersion('', highest));
        expect(existing.every((each) => compareVersions(chosen, each) > 0)).toBe(true);
        if (highest[3] < maxVersionPart) expect(chosen).toEqual([highest[0], highest[1], highest[2], highest[3] + 1]);
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

describe('type of a file on the module', () => {
  // API-FIELD-resource-type
  it.each([
    ['WIFI_FW', 0x01],
    ['UPGRADE_APP', 0x00],
    ['REGULAR_APP', 0x81],
    ['MISC_FIX_LEN', 0xfe],
    ['SOMETHING_ELSE', 0xfe],
    ['03', 0x03],
    ['fd', 0xfd],
    ['FB', 0xfb],
  ])('%s is byte %i', (type, byte) => {
    expect(moduleFileType(type)).toBe(byte);
  });

  it('is a byte in every row of the table', () => {
    for (const byte of moduleFileTypes.values()) expect(byte).toBeLessThanOrEqual(0xff);
  });
});

it.each([
  ['index.html', 'text/html'],
  ['a/b/INDEX.HTML', 'text/html'],
  ['style.css.gz', 'application/gzip'],
  ['noextension', 'application/octet-stream'],
  ['dir.html/file', 'application/octet-stream'],
  ['trailing.', 'application/octet-stream'],
])('media type of %s is %s by default', (filename, mime) => {
  expect(mimeOfFilename(filename)).toBe(mime);
});

describe('uploaded file', () => {
  it('gets every default (Reference: records 1.4)', () => {
    expect(unwrap(readUpload({ base64: 'aGVsbG8=' }, 'fallback.txt'))).toEqual({
      filename: 'fallback.txt',
      bytes: Buffer.from('hello'),
      type: 'MISC_FIX_LEN',
      version: '1.0.0.0',
      mime: 'text/plain',
    });
  });

  it('keeps what it says of itself', () => {
    const upload = { filename: 'x.js', type: 'WIFI_FW', version: '0.0.0.1', mime: 'a/b' };
    expect(unwrap(readUpload(upload, 'y'))).toEqual({ ...upload, bytes: Buffer.alloc(0) });
  });

  it.each(['?', 'aGVsbG8', 'aGVs bG8=', 'a', 'aGVsbG8==', 'aGVs\nbG8='])(
    'with base64 "%s" is read strictly',
    (base64) => {
      const outcome = readUpload({ base64 }, 'f', 'files[2].');
      if (base64 === 'aGVsbG8') expect(outcome.ok).toBe(true);
      else {
        expect(outcome).toMatchObject({
          ok: false,
          error: { code: 'INVALID_BASE64', validation: { source: 'body', keys: ['files[2].base64'] } },
        });
      }
    },
  );

  it('with a malformed version is refused, naming the field', () => {
    expect(readUpload({ version: '1.0' }, 'f', 'files[0].')).toMatchObject({
      ok: false,
      error: { code: 'INVALID_VERSION', validation: { keys: ['files[0].version'] } },
    });
  });

  it('has an ETag of CRC and size', () => {
    expect(fileEtag(0x0abc, 12)).toBe('0abc-12');
  });
});
