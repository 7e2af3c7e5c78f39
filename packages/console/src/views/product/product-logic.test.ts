import {
  type BundleRecord,
  type ConnectorType,
  connectorOptions,
  jsonBodyLimitBytes,
  type ProductRecord,
} from '@moorage/api';
import { describe, expect, it, test } from 'vitest';
import { adoptionOf } from './adoption.ts';
import { boardColumns, moveInto, movesOf } from './bundle-actions.ts';
import { bundleFileLimitBytes, contentOf, isModuleFilename } from './bundle-file.ts';
import { fieldsOf, isComplete, type OptionValues, optionsFrom, valuesOf } from './connector-fields.ts';
import { mayAdminister, mayChange, offeredActions, productActions } from './product-actions.ts';
import { nextVersion, readVersion } from './versions.ts';

const product = (change: Partial<ProductRecord>): ProductRecord =>
  ({
    title: 'Tide gauge',
    state: 'preview',
    role: 'owner',
    device_count: 0,
    bundle_count: 2,
    ...change,
    // Safe: the functions under test read these fields alone.
  }) as ProductRecord;

const bundle = (change: Partial<BundleRecord>): BundleRecord =>
  ({
    id: 'b',
    version: '0.0.0.1',
    state: 'published',
    tag: null,
    device_count: 0,
    device_count_bundle_ok: 0,
    ...change,
    // Safe: the functions under test read these fields alone.
  }) as BundleRecord;

describe('version', () => {
  test.each([
    [undefined, '0.0.0.1'],
    ['0.0.0.1', '0.0.0.2'],
    ['1.2.3.65535', '1.2.3.65536'],
    ['65535.65535.65535.99999', '65535.65535.65535.100000'],
    ['1.0', undefined],
  ])('after %s comes %s, as the service counts', (highest, next) => {
    expect(nextVersion(highest)).toBe(next);
  });

  test.each(['1.2.3', '1.2.3.4.5', 'a.b.c.d', '1.2.3.1000000000000000', '-1.0.0.0', ''])('"%s" is none', (text) => {
    expect(readVersion(text)).toBeUndefined();
  });

  it('may have blanks around it', () => {
    expect(readVersion(' 1.0.0.4 ')).toEqual([1, 0, 0, 4]);
  });
});

describe('a product', () => {
  test.each<[ProductRecord['state'], string[]]>([
    ['preview', ['publish', 'archive', 'trash', 'delete']],
    ['published', ['archive', 'trash', 'delete']],
    ['archive', ['publish', 'trash', 'delete']],
    ['trash', ['restore', 'delete']],
  ])('in state %s offers its owner %j', (state, actions) => {
    const offered = offeredActions(product({ state }), { admin: false });
    expect(offered.map(({ action }) => action)).toEqual(actions);
  });

  test.each<[ProductRecord['role'], boolean, boolean, boolean]>([
    ['owner', false, true, true],
    ['manager', false, true, false],
    ['operator', false, false, false],
    ['tester', false, false, false],
    ['none', false, false, false],
    ['none', true, true, true],
  ])('may be changed and administered by a %s (administrator: %s): %s, %s', (role, admin, changes, administers) => {
    expect([mayChange({ role }, { admin }), mayAdminister({ role }, { admin })]).toEqual([changes, administers]);
    const offered = offeredActions(product({ role }), { admin }).map(({ action }) => action);
    expect(offered.includes('delete')).toBe(administers);
    expect(offered.includes('publish')).toBe(changes);
  });

  it('with devices says why it cannot be trashed or deleted', () => {
    const offered = offeredActions(product({ device_count: 2 }), { admin: false });
    expect(
      offered.filter(({ blocked }) => blocked !== undefined).map(({ action, blocked }) => [action, blocked]),
    ).toEqual([
      ['trash', '2 devices are activated to it'],
      ['delete', '2 devices are activated to it'],
    ]);
  });

  it('says what every action does', () => {
    for (const { says } of productActions) expect(says(product({ device_count: 3 }))).toMatch(/\.$/);
  });
});

describe('a bundle', () => {
  // The state table of the specification, and nothing else: every state with every column.
  const allowed: Readonly<Record<string, readonly string[]>> = {
    preview: ['published', 'trash'],
    published: ['archive'],
    archive: ['published', 'trash'],
  };
  for (const state of ['preview', 'published', 'archive'] as const) {
    test.each(boardColumns)(`in state ${state} is taken by the column %s when the state table has it`, (column) => {
      expect(moveInto({ state, tag: null }, column) !== undefined).toBe(allowed[state]?.includes(column));
      expect(moveInto({ state, tag: 'beta' }, column)).toBeUndefined();
    });
  }

  it('says what deleting it costs', () => {
    const archived = bundle({ state: 'archive', device_count: 3, device_count_bundle_ok: 2 });
    expect(movesOf(archived).map(({ to, says }) => [to, says(archived)])).toEqual([
      ['published', expect.stringContaining('tagged again')],
      ['trash', expect.stringMatching(/gone for good.*3 devices.*2 devices/s)],
    ]);
  });
});

describe('adoption', () => {
  it('has what runs, what is to run and has not got there, and what carries a tag', () => {
    const bundles = [
      bundle({ id: 'new', version: '3.0.0.0', tag: 'release' }),
      bundle({ id: 'old', version: '2.0.0.0' }),
      bundle({ id: 'unseen', version: '1.9.0.0' }),
      bundle({ id: 'fresh', version: '1.8.0.0', tag: 'beta' }),
    ];
    const of = { product_id: 'p', product: 'P' };
    const rows = adoptionOf(bundles, {
      versions: [
        { ...of, version: '2.0.0.0', devices: 5 },
        { ...of, version: '0.1.0.0', devices: 2 },
        { ...of, version: '3.0.0.0', devices: 1 },
        { ...of, version: null, devices: 4 },
      ],
      targets: [{ bundle_id: 'new', version: '3.0.0.0', waiting: 4, updating: 1, failed: 2 }],
    });
    expect(
      rows.map((row) => [row.bundle?.id, row.version, row.running, row.waiting, row.updating, row.failed]),
    ).toEqual([
      ['new', '3.0.0.0', 1, 4, 1, 2],
      ['old', '2.0.0.0', 5, 0, 0, 0],
      ['fresh', '1.8.0.0', 0, 0, 0, 0],
      [undefined, '0.1.0.0', 2, 0, 0, 0],
    ]);
  });
});

describe('a file of a bundle', () => {
  it('of the largest size fits into a JSON body', () => {
    const base64 = 4 * Math.ceil(bundleFileLimitBytes / 3);
    const around = JSON.stringify({ filename: '"'.repeat(95), base64: '', exclude: true, type: 'A'.repeat(32) }).length;
    expect(base64 + around).toBeLessThanOrEqual(jsonBodyLimitBytes);
  });

  it('gives its content without the data URL around it', () => {
    expect(contentOf('data:text/plain;base64,b24=')).toBe('b24=');
    expect(contentOf('data:application/octet-stream;base64,')).toBe('');
  });

  test.each([
    ['index.html', true],
    ['webapp/a file.txt', true],
    ['kräne.txt', false],
    ['', false],
    ['x'.repeat(96), false],
  ])('named "%s" fits a module: %s', (name, fits) => {
    expect(isModuleFilename(name)).toBe(fits);
  });
});

describe('the form of a connector', () => {
  test.each<ConnectorType>(['webhook', 'mqtt'])('of type %s has a field for every option of the contract', (type) => {
    const options = Object.keys(connectorOptions[type].properties).filter((name) => name !== 'type');
    expect(
      fieldsOf(type)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(options.sort());
  });

  it('takes limits, choices and examples from the contract', () => {
    const fields = new Map(fieldsOf('webhook').map((field) => [field.name, field]));
    expect(fields.get('url')).toMatchObject({ kind: 'text', required: true, placeholder: 'https://example.com/hook' });
    expect(fields.get('method')).toMatchObject({ kind: 'choice', choices: ['POST', 'PUT'], placeholder: 'POST' });
    expect(fields.get('timeout_ms')).toMatchObject({ kind: 'number', min: 100, max: 30_000 });
    expect(fields.get('events')).toMatchObject({ kind: 'events', choices: expect.arrayContaining(['ota.ok']) });
    expect(fields.get('secret')).toMatchObject({ kind: 'secret', required: false });
    expect(fields.get('headers')).toMatchObject({ kind: 'headers' });
  });

  it('sends back what it was given, and leaves out what is empty', () => {
    const opts = { url: 'https://a.example/', headers: { 'X-Key': '***' }, secret: '***', events: ['ota.ok'] };
    expect(optionsFrom('webhook', valuesOf(opts))).toEqual({ type: 'webhook', ...opts });
    const emptied: OptionValues = {
      url: 'https://a.example/',
      secret: '',
      headers: [{ name: ' ', value: 'x' }],
      events: [],
    };
    expect(optionsFrom('webhook', emptied)).toEqual({ type: 'webhook', url: 'https://a.example/' });
  });

  it('has a switch for what is on or off', () => {
    const fields = new Map(fieldsOf('mqtt').map((field) => [field.name, field]));
    expect(fields.get('home_assistant')).toMatchObject({ kind: 'switch', required: false });
    const opts = { url: 'mqtt://broker.example', home_assistant: true };
    expect(optionsFrom('mqtt', valuesOf(opts))).toEqual({ type: 'mqtt', ...opts });
  });

  it('sends no options of the other type', () => {
    const values: OptionValues = { url: 'mqtt://broker.example', method: 'PUT', qos: 1 };
    expect(optionsFrom('mqtt', values)).toEqual({ type: 'mqtt', url: 'mqtt://broker.example', qos: 1 });
  });

  it('waits for what is needed', () => {
    expect(isComplete('webhook', {})).toBe(false);
    expect(isComplete('mqtt', { url: 'mqtt://broker.example' })).toBe(true);
  });
});
