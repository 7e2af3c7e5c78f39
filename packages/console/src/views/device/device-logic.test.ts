import type { BundleRecord } from '@moorage/api';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { resultText } from './codes.ts';
import { isOnOff, rangeText, stepOf, typedValue } from './control-value.ts';
import { bundleFor, tagEffect } from './follow.ts';
import { formatDegrees, readLocation, typedLocation } from './location.ts';
import { byteLength, parseHeaders } from './message-headers.ts';
import { failureText, responseText } from './responses.ts';
import { deviceTabs, sections } from './tabs.ts';
import { formatDuration } from './took.ts';
import { replacedBy, uploadPath } from './upload-path.ts';

const plain = (text: string): string => text.replace(/\x1b\[\d+m/g, '');

describe('a value typed for a control', () => {
  const number = { type: 'number', min: 0, max: 10 } as const;
  it.each([
    ['5', number, { value: 5 }],
    ['-1', number, { problem: 'It is under 0' }],
    ['11', number, { problem: 'It is over 10' }],
    ['', number, { problem: 'It is not a number' }],
    ['1e999', number, { problem: 'It is not a number' }],
    ['', { type: 'string', min: null, max: null }, { value: '' }],
    ['x'.repeat(129), { type: 'string', min: null, max: null }, { problem: 'It is over 128 characters long' }],
  ] as const)('%j', (text, bounds, expected) => {
    expect(typedValue(text, bounds)).toEqual(expected);
  });

  it.each([
    [{ type: 'number', min: 0, max: 100, units: '%' }, '0 to 100 %'],
    [{ type: 'number', min: 1, max: null, units: null }, 'from 1'],
    [{ type: 'number', min: null, max: 9, units: null }, 'up to 9'],
    [{ type: 'number', min: null, max: null, units: 'V' }, 'any number of V'],
    [{ type: 'string', min: null, max: null, units: null }, 'any text of up to 128 characters'],
  ] as const)('%j is shown as %s', (bounds, expected) => {
    expect(rangeText(bounds)).toBe(expected);
  });

  const onOff = { type: 'number', min: 0, max: 1, units: null, value: 0 } as const;
  it.each([
    [{}, true],
    [{ value: 1 }, true],
    [{ value: null }, true],
    [{ value: 0.5 }, false],
    [{ units: 'bar' }, false],
    [{ max: 2 }, false],
    [{ min: null }, false],
    [{ type: 'string', value: '1' }, false],
  ] as const)('with %j is on or off: %s', (difference, expected) => {
    expect(isOnOff({ ...onOff, ...difference })).toBe(expected);
  });

  it('slides in round steps', () => {
    expect([stepOf(0, 100), stepOf(0, 1), stepOf(-5, 5), stepOf(3, 3)]).toEqual([1, 0.01, 0.1, 1]);
  });
});

describe('the location of a device', () => {
  const none = { lat: '', lon: '', city: '', country: '' };
  it('is read as it was typed', () => {
    expect(readLocation(none)).toEqual({ location: null });
    expect(readLocation({ ...none, lat: '54,32', lon: '-10.1', city: ' Kiel ' })).toEqual({
      location: { lat: 54.32, lon: -10.1, city: 'Kiel', country: '' },
    });
    const known = { lat: 1.5, lon: 2, city: 'A', country: 'B' };
    expect(readLocation(typedLocation(known))).toEqual({ location: known });
    expect(readLocation(typedLocation(null))).toEqual({ location: null });
  });

  it.each([
    [{ ...none, lat: '91', lon: '0' }, 'lat'],
    [{ ...none, lat: '1' }, 'lon'],
    [{ ...none, city: 'Kiel' }, 'lat'],
    [{ ...none, lat: '1', lon: 'east' }, 'lon'],
  ])('%j has something wrong', (typed, field) => {
    expect(readLocation(typed)).toMatchObject({ field });
  });

  it('is shown in degrees', () => {
    expect(formatDegrees({ lat: -33.9, lon: 18.4 })).toBe('33.9° S, 18.4° E');
  });
});

describe('headers of a message', () => {
  it('are one to a line', () => {
    expect(parseHeaders('')).toEqual({});
    expect(parseHeaders(' a: 1\n\nurl: http://x:1 ')).toEqual({ a: '1', url: 'http://x:1' });
  });

  it.each(['a', ': b', 'a: 1\na: 2', `${'x'.repeat(65)}: 1`, `a: ${'x'.repeat(257)}`, 'a1:\n'.repeat(2)])(
    'are refused: %j',
    (text) => {
      expect(typeof parseHeaders(text)).toBe('string');
    },
  );

  it('are at most 16', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, i) => `h${i}: x`).join('\n');
    expect(Object.keys(parseHeaders(lines(16)))).toHaveLength(16);
    expect(parseHeaders(lines(17))).toBe('There are more than 16');
  });

  it('and texts are counted in bytes', () => {
    expect(byteLength('aü€')).toBe(6);
  });
});

describe('an upload', () => {
  it.each([
    ['', { name: 'a.png' }, 'a.png'],
    ['/images//', { name: 'a.png', path: './a.png' }, 'images/a.png'],
    ['images', { name: 'a.png', path: '/plan/a.png' }, 'images/plan/a.png'],
    ['../x', { name: 'a', webkitRelativePath: 'dir/a' }, 'x/dir/a'],
  ])('into %j goes to its path', (folder, file, path) => {
    expect(uploadPath(folder, file)).toBe(path);
  });

  it('names what it writes over', () => {
    expect(replacedBy(['a', 'b', 'c'], ['b', 'd'])).toEqual(['b']);
  });
});

describe('the bundle that a device follows', () => {
  // Safe: what the rule looks at is there.
  const bundle = (version: string, tag: string | null, state = 'published') =>
    ({ id: version, version, tag, state }) as BundleRecord;
  const bundles = [bundle('3', 'beta'), bundle('2', 'release'), bundle('4', 'alpha', 'archive')];

  it.each([
    ['beta', '3'],
    ['', '2'],
    [null, '2'],
    ['alpha', '2'],
  ])('with the tag %j is %s', (tag, version) => {
    expect(bundleFor(tag, bundles)?.version).toBe(version);
  });

  it('is shown before it is followed', () => {
    const device = { bundle_id: '2', bundle_ok: true };
    expect(tagEffect('', device, bundles)).toContain('It runs what it would be offered: version 2');
    expect(tagEffect('beta', device, bundles)).toContain('leads to version 3');
    expect(tagEffect('alpha', { ...device, bundle_ok: false }, bundles)).toContain('the release, as no bundle has');
    expect(tagEffect('', device, [])).toContain('it is offered nothing');
    expect(tagEffect('', device, undefined)).toContain('With its next update');
  });
});

describe('answers of a module', () => {
  it.each([
    [{ code: 0, data: 'a\nb\r\n' }, 'a\r\nb\r\n[0] Success\r\n'],
    [{ code: 0, data: '' }, '[0] Success\r\n'],
    [{ code: 0, data: 'Success' }, '[0] Success\r\n'],
    [{ code: 3, data: 'Unknown command' }, '[3] Unknown command\r\n'],
    [{ code: 42, data: 'x' }, 'x\r\n[42] a code of its own\r\n'],
  ])('%j', (answer, shown) => {
    expect(plain(responseText(answer))).toBe(shown);
  });

  it('that did not come say why, and what to do', () => {
    const offline = new ApiError(409, 'DEVICE_OFFLINE', 'The device is not on the message channel');
    expect(plain(failureText(offline))).toBe(
      'The device is not on the message channel. Commands reach it as soon as it is back.\r\n',
    );
    expect(plain(failureText(new DOMException('x', 'AbortError')))).toBe('No longer waiting for an answer\r\n');
  });
});

describe('words', () => {
  it.each([
    [20, '20 ms'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
    [120_000, '2 min'],
    [7_800_000, '2 h 10 min'],
  ])('%i ms is %s', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  it('of results of updates have a place for codes of the future', () => {
    expect([resultText(null), resultText(1), resultText(77)]).toEqual(['—', 'Updated', 'Code 77']);
  });

  it('of sections are unique in the address, and each tab has one', () => {
    expect(new Set(sections.map(({ key }) => key)).size).toBe(sections.length);
    expect(new Set(sections.map(({ group }) => group))).toEqual(new Set(deviceTabs.map(({ key }) => key)));
  });
});
