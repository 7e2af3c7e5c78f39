import { otaResults, type UpdateState, updateStates } from '@moorage/api';
import { transition } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import {
  type BundleFile,
  type BundleRequest,
  type Candidate,
  type CurrentUpdate,
  chosenOf,
  decideOta,
  encodeFilename,
  filesMissing,
  filesOfUpdate,
  isExplicit,
  manifestFile,
  type OtaDevice,
  selectBundle,
  selectNamed,
  type UpdateTrigger,
  updateTransitions,
} from './rules.ts';
import { judgeReport } from './verdicts.ts';

describe('update state machine', () => {
  const triggers = ['fetch', 'install', 'confirm', 'fail', 'mismatch', 'expire', 'supersede'] as const;
  // API-RULE-ota-9, API-RULE-ota-10: one row for each state, one column for each trigger; "-" is refused.
  const expected: Record<UpdateState, readonly (UpdateState | '-')[]> = {
    offered: ['downloading', 'installed', 'done', 'failed', '-', '-', 'superseded'],
    downloading: ['downloading', 'installed', 'done', 'failed', '-', 'failed', 'superseded'],
    installed: ['installed', 'installed', 'done', 'failed', 'failed', 'failed', 'superseded'],
    done: ['done', '-', 'done', '-', '-', '-', '-'],
    failed: ['-', '-', '-', 'failed', '-', '-', '-'],
    superseded: ['-', '-', '-', '-', '-', '-', '-'],
  };
  const cells = updateStates.flatMap((state) =>
    triggers.map((trigger, column) => [state, trigger, expected[state][column]] as const),
  );
  it.each(cells)('update in state %s on %s becomes %s', (state, trigger: UpdateTrigger, to) => {
    expect(transition(updateTransitions, state, trigger) ?? '-').toBe(to);
  });
});

const bundle = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  product_id: 'product',
  firmware_id: 'firmware',
  state: 'published',
  tag: null,
  version: `0.0.0.${id}`,
  bversion: `text ${id}`,
  ...more,
});

type DeviceOfProduct = OtaDevice & { readonly product: string; readonly production: 0 | 1 };

const device = (more: Partial<DeviceOfProduct> = {}): DeviceOfProduct => ({
  state: 'active',
  tag: null,
  product_id: 'product',
  product: 'MAKER-PLAT_THING',
  production: 0,
  ...more,
});

const bundles = [
  bundle('1', { tag: 'release' }),
  bundle('2', { tag: 'beta' }),
  bundle('3'),
  bundle('4', { state: 'archive', tag: null }),
  bundle('5', { state: 'preview' }),
  bundle('6', { product_id: 'other', tag: 'alpha' }),
];

describe('OTA selection', () => {
  const production = { production: 1 } as const;
  const rows: [string, Partial<DeviceOfProduct>, BundleRequest, 'device' | 'bridge', string][] = [
    // API-RULE-ota-4
    ['without tag follows the release', {}, {}, 'device', '1'],
    // API-RULE-ota-3
    ['with a tag gets the bundle of that tag', { tag: 'beta' }, {}, 'device', '2'],
    ['whose tag no bundle has gets the release', { tag: 'alpha' }, {}, 'device', '1'],
    // API-RULE-ota-2
    ['gets a published bundle by id', {}, { bundle_id: '3' }, 'device', '3'],
    ['gets a published bundle by version', {}, { version: '0.0.0.3' }, 'device', '3'],
    ['does not get an archived bundle by id', {}, { bundle_id: '4' }, 'device', 'NOT_FOUND'],
    ['does not get a bundle in preview by id', {}, { bundle_id: '5' }, 'device', 'NOT_FOUND'],
    ['does not get a bundle of another product', {}, { bundle_id: '6' }, 'device', 'NOT_FOUND'],
    ['does not get a version that is not there', {}, { version: '9.9.9.9' }, 'device', 'NOT_FOUND'],
    ['takes an empty bundle id for none', {}, { bundle_id: '', version: '' }, 'device', '1'],
    ['of a production product may not choose', production, { bundle_id: '3' }, 'device', 'PRODUCTION_BUNDLE_CHOICE'],
    [
      'of a production product may not choose a version',
      production,
      { version: '0.0.0.3' },
      'device',
      'PRODUCTION_BUNDLE_CHOICE',
    ],
    ['of a production product is updated by a person', production, { bundle_id: '3' }, 'bridge', '3'],
    ['of a production product follows its tag', { ...production, tag: 'beta' }, {}, 'device', '2'],
    // API-RULE-ota-5
    ['of a product without a release finds none', { product_id: 'bare' }, {}, 'device', 'NOT_FOUND'],
    // API-RULE-ota-1
    ['that is disabled gets nothing', { state: 'disabled' }, {}, 'device', 'DEVICE_DISABLED'],
  ];
  it.each(rows)('a device %s', (_, more, ask, from, expected) => {
    const of = device(more);
    const chosen = isExplicit(ask) ? selectNamed(of, of, bundles, ask, from) : chosenOf(selectBundle(of, bundles, []));
    expect(chosen.ok ? chosen.value.id : chosen.error.code).toBe(expected);
  });
});

describe('OTA selection with assignments', () => {
  const stay = { by: 'stay', reason: 'It stays', bundleId: undefined };
  const to = (bundleId: string) => ({ by: `to ${bundleId}`, reason: 'It is brought', bundleId });
  it.each([
    ['gets what the first of them names', {}, [to('3'), to('2')], ['to 3', '3']],
    ['is not brought what is not published, nor of its product', {}, [to('4'), to('6'), to('2')], ['to 2', '2']],
    ['stays where the first says so', {}, [stay, to('3')], ['stay', undefined]],
    ['is brought something before one that has it stay', {}, [to('3'), stay], ['to 3', '3']],
    ['follows its tag where none applies', { tag: 'beta' as const }, [to('5')], ['tag', '2']],
    ['that is disabled gets nothing', { state: 'disabled' as const }, [to('3')], ['blocked', undefined]],
  ])('a device %s', (_, more, assignments, expected) => {
    const { by, bundle: chosen } = selectBundle(device(more), bundles, assignments);
    expect([by, chosen?.id]).toEqual(expected);
  });
});

describe('OTA decision', () => {
  const chosen = bundle('1');
  const update = (state: UpdateState, more: Partial<CurrentUpdate> = {}): CurrentUpdate => ({
    to_bundle_id: '1',
    to_bversion: 'text 1',
    state,
    ...more,
  });
  const other = { to_bundle_id: '9', to_bversion: 'text 9' };
  const none = (record: string) => ({ kind: 'none', record });
  const offer = (ends?: string) => ({ kind: 'offer', ends });
  const rows: [string, BundleRequest, CurrentUpdate | undefined, unknown][] = [
    ['a new device', {}, undefined, offer()],
    // API-RULE-ota-6
    ['the bundle id of the chosen bundle', { bid: '1' }, undefined, none('nothing')],
    [
      'the bundle id, by a host that knows no version text',
      { bid: '1', bversion: 'own text' },
      undefined,
      none('nothing'),
    ],
    ['the bundle id of what was only offered', { bid: '1', bversion: 'old' }, update('offered'), { kind: 'resume' }],
    ['the bundle id of what was cut short', { bid: '1', bversion: 'old' }, update('downloading'), { kind: 'resume' }],
    ['the bundle id of what failed', { bid: '1', bversion: 'old' }, update('failed'), offer()],
    ['another text than the one that was done', { bid: '1', bversion: 'old' }, update('done'), offer()],
    ['another bundle id', { bid: '2' }, update('done', other), offer()],
    // API-RULE-ota-8
    ['force', { bid: '1', force: true }, update('done'), offer()],
    ['force, with the update still open', { bid: '1', force: true }, update('downloading'), { kind: 'resume' }],
    ['the version text of a done update', { bversion: 'text 1' }, update('done'), none('nothing')],
    // API-RULE-ota-9
    ['the version text of an open update', { bversion: 'text 1' }, update('installed'), none('confirm')],
    ['the version text without an update', { bversion: 'text 1' }, undefined, none('adopt')],
    ['the version text after a failure', { bversion: 'text 1' }, update('failed'), none('adopt')],
    ['the version text with another update open', { bversion: 'text 1' }, update('offered', other), none('adopt')],
    // API-RULE-ota-10
    ['the same again', { bid: '' }, update('offered'), { kind: 'resume' }],
    ['an older text after the restart', { bversion: 'old' }, update('installed'), offer('mismatch')],
    ['nothing of its version after the restart', {}, update('installed'), { kind: 'resume' }],
    ['with an update to another bundle open', { bversion: 'old' }, update('downloading', other), offer('supersede')],
    ['with an update to a removed bundle open', {}, update('downloading', { to_bundle_id: null }), offer('supersede')],
  ];
  it.each(rows)('a query with %s', (_, ask, current, expected) => {
    expect(decideOta(chosen, ask, current, 'device')).toEqual(expected);
  });

  it.each<[string, BundleRequest, CurrentUpdate, unknown]>([
    ['nothing of its version, which is done', {}, update('done'), { kind: 'resume' }],
    ['an empty id, which is done', { bid: '' }, update('done'), { kind: 'resume' }],
    ['nothing of its version, which failed', {}, update('failed'), offer()],
    ['nothing of its version after another bundle', {}, update('done', other), offer()],
    ['another bundle id', { bid: '2' }, update('done'), offer()],
  ])('a query of a bridging host with %s', (_, ask, current, expected) => {
    expect(decideOta(chosen, ask, current, 'bridge')).toEqual(expected);
  });

  it('a query of a device itself with nothing of its version is given what it had', () => {
    expect(decideOta(chosen, {}, update('done'), 'device')).toEqual(offer());
  });
});

describe('OTA report', () => {
  const codes = Object.values(otaResults);
  const fails = codes.filter((code) => code > 2);
  const open = ['offered', 'downloading', 'installed'] as const;
  const update = (state: UpdateState): CurrentUpdate => ({ to_bundle_id: '1', to_bversion: 'new', state });

  it.each(fails.flatMap((code) => open.map((state) => [code, state] as const)))(
    'report of code %i fails an update in state %s and says why',
    (result, state) => {
      const verdict = judgeReport(update(state), { result, bversion: 'new' });
      expect(verdict).toMatchObject({ trigger: 'fail', reason: expect.stringContaining('device') });
    },
  );

  it.each([0, 1, 2])('report of code %i with the new version text confirms', (result) => {
    expect(judgeReport(update('installed'), { result, bversion: 'new' }).trigger).toBe('confirm');
  });

  it.each([1, 2])('report of code %i with the old version text is progress, however often it comes', (result) => {
    expect(judgeReport(update('downloading'), { result, bversion: 'old' }).trigger).toBe('install');
    expect(judgeReport(update('installed'), { result, bversion: 'old' }).trigger).toBe('install');
  });

  it('report after power-up with the old version text fails an installed update', () => {
    const verdict = judgeReport(update('installed'), { result: 0, bversion: 'old' });
    expect(verdict).toEqual({ trigger: 'mismatch', reason: 'The device restarted with version "old"' });
  });

  it.each(['offered', 'downloading'] as const)('report after power-up leaves an update in state %s open', (state) => {
    expect(judgeReport(update(state), { result: 0, bversion: 'old' })).toEqual({
      trigger: undefined,
      reason: undefined,
    });
  });
});

const file = (filename: string, more: Partial<BundleFile> = {}): BundleFile => ({
  id: filename,
  source: 'resource',
  filename,
  type: 'MISC_FIX_LEN',
  version: '1.0.0.0',
  mime: 'text/plain',
  size: 10,
  crc: 0x1234,
  sha256: 'hash',
  exclude: 0,
  created_at: 0,
  ...more,
});

describe('OTA files', () => {
  // API-RULE-ota-7
  it('files of an update are those of the firmware and the resources that are not excluded', () => {
    const files = [file('app.bin', { source: 'firmware' }), file('a.html'), file('notes.txt', { exclude: 1 })];
    expect(filesOfUpdate(files).map(({ filename }) => filename)).toEqual(['app.bin', 'a.html']);
  });

  it('a resource takes the place of a firmware file of the same name', () => {
    const files = filesOfUpdate([file('a', { id: 'mine' }), file('a', { id: 'theirs', source: 'firmware' })]);
    expect(files.map(({ id }) => id)).toEqual(['mine']);
  });

  it.each([
    ['all the same', { name: 'a', version: '1.0.0.0', crc: 0x1234 }, []],
    ['a shorter spelling of the version', { name: 'a', version: '1.0', crc: 0x1234 }, []],
    ['another name', { name: 'b', version: '1.0.0.0', crc: 0x1234 }, ['a']],
    ['another version', { name: 'a', version: '1.0.0.1', crc: 0x1234 }, ['a']],
    ['another CRC', { name: 'a', version: '1.0.0.0', crc: 0x1235 }, ['a']],
  ])('a file is left out when the device holds it: %s', (_, held, expected) => {
    expect(filesMissing([file('a')], [held]).map(({ filename }) => filename)).toEqual(expected);
  });

  it.each([
    ['index.html', 'index.html'],
    ['web/a b.html', 'web/a%20b.html'],
    ['100%s?#.txt', '100%25s%3F%23.txt'],
    ['ünï', '%C3%BCn%C3%AF'],
  ])('file name %s survives in a URL', (name, encoded) => {
    expect(encodeFilename(name)).toBe(encoded);
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  it('a manifest entry has the form of the multi-file download of the module', () => {
    expect(manifestFile(file('web/a b', { type: 'WIFI_FW', version: '1.2.3.4' }))).toEqual({
      remote: 'web/a%20b',
      local: 'web/a b',
      version: '1.2.3.4',
      type: 1,
      flags: '',
      crc: 0x1234,
      size: 10,
    });
  });
});
