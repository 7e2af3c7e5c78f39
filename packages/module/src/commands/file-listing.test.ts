import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FileInfo, fileFlags } from '../device/flash.ts';
import { neutralPersonality } from '../personality/personality.ts';
import { listing, listingOrder, matchesName, statLine } from './file-listing.ts';

const file = (row: Partial<FileInfo>): FileInfo => ({
  name: 'a',
  size: 1,
  crc: 0,
  version: [1, 0, 0, 0],
  area: 'e',
  type: 0xfe,
  flags: 0x21,
  unit: 0,
  ...row,
});

const favicon = file({ name: '/favicon.ico.gz', size: 1853, version: [2, 0, 0, 11], flags: 0x0001, unit: 73 });
const program = file({
  name: 'firmware.exe',
  size: 178252,
  version: [2, 0, 1, 8],
  area: 'i',
  type: 0x81,
  flags: 0x001b,
  unit: 52,
});
const photo = file({ name: 'photo.jpeg', size: 1995261, version: [2, 1, 0, 0], area: 'b', unit: 25 });

describe('listing', () => {
  // MOD-FILE-listing
  test('ls -v prints the columns of the captures', () => {
    const files = [favicon, ...Array.from({ length: 9 }, () => favicon), program, photo];
    const rows = listing(neutralPersonality, files, true);
    expect([rows[0], rows[1], rows[11], rows[12]]).toEqual([
      '!  # Type  Flags  Hnd    Size    Version  Filename',
      '#  0 e-FE   0001   73    1853   2.0.0.11  /favicon.ico.gz',
      '# 10 i-81   001B   52  178252    2.0.1.8  firmware.exe',
      '# 11 b-FE   0021   25 1995261    2.1.0.0  photo.jpeg',
    ]);
  });

  test('ls prints the first three parts of the version', () => {
    const files = [
      file({ name: 'webapp/index.html', size: 1995, version: [1, 5, 0, 24] }),
      file({ name: 'webapp/app.css.gz', size: 22670, version: [1, 5, 0, 0] }),
    ];
    expect(listing(neutralPersonality, files, false)).toEqual([
      '!  #   Size   Version  Filename',
      '#  0   1995     1.5.0  webapp/index.html',
      '#  1  22670     1.5.0  webapp/app.css.gz',
    ]);
  });

  test('the order is users and web files, system files, then bulk files, each by name whatever its case', () => {
    const names = (files: readonly FileInfo[]) => files.toSorted(listingOrder).map((each) => each.name);
    const system = [file({ name: 'a_app.exe', area: 'i', flags: 0x1b }), file({ name: 'wifi_fw.bin', flags: 0x09 })];
    const users = [file({ name: 'b' }), file({ name: 'A' }), file({ name: 'a' }), file({ name: '/x' })];
    const bulk = [file({ name: 'PICTURE', area: 'b' }), file({ name: '0', area: 'b' })];
    const order = ['/x', 'A', 'a', 'b', 'a_app.exe', 'wifi_fw.bin', '0', 'PICTURE'];
    expect(names([...system, ...users, ...bulk])).toEqual(order);
    expect(names([...bulk, ...users.toReversed(), ...system])).toEqual(order);
  });
});

describe('statLine', () => {
  const rows: readonly (readonly [FileInfo, string])[] = [
    // MOD-FILE-stat-order, MOD-FILE-size, MOD-FILE-crc, MOD-FILE-version, MOD-FILE-storage, MOD-FILE-type, MOD-FILE-flags
    [file({ size: 12, crc: 0x222f }), '12,222F,1.0.0.0,e,FE,0021'],
    [{ ...favicon, crc: 0xa4f0 }, '1853,A4F0,2.0.0.11,e,FE,0001'],
    [file({ size: 0, crc: 0x1, area: 'i', type: 0, flags: 0x001b }), '0,0001,1.0.0.0,i,00,001B'],
    [file({ area: 'b', type: 0x9, flags: 0x0161 }), '1,0000,1.0.0.0,b,09,0161'],
  ];
  test.each(rows)('prints row %#', (info, line) => {
    expect(statLine(info)).toBe(line);
  });
});

describe('fileFlags', () => {
  // MOD-FILE-flags
  const { valid, executable, system, bootable, user, essential, unprotected } = fileFlags;
  test.each([
    ['data of the system', valid | system, '0009'],
    ['a program', valid | executable | system | bootable, '001B'],
    ['a file of the user', valid | user, '0021'],
    ['a user file that is essential and unprotected', valid | user | essential | unprotected, '0161'],
    ['one that is written, and one that is encrypted', fileFlags.open | fileFlags.encrypted, '0084'],
  ])('%s shows its bits (Reference: flash 2.2)', (_, flags, shown) => {
    expect(statLine(file({ flags }))).toContain(`,${shown}`);
  });
});

describe('matchesName', () => {
  const rows: readonly (readonly [pattern: string, name: string, matches: boolean])[] = [
    ['', 'anything', true],
    ['webapp/', 'webapp/index.html', true],
    ['webapp/', 'web', false],
    ['a', 'A', false],
    ['*', 'x', true],
    ['*.gz', 'app.css.gz', true],
    ['*.gz', 'app.gzip', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'aXXbYYc', true],
    ['a*b*c', 'aXXcYYb', false],
    ['*a*', 'bab', true],
    ['?', '', false],
    ['a**', 'a', true],
    ['a.c*', 'abc', false],
  ];
  test.each(rows)('%j takes %j: %s', (pattern, name, matches) => {
    expect(matchesName(pattern, name)).toBe(matches);
  });

  test('agrees with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(text, name, (pattern, name) => {
        const source = pattern.replaceAll('*', '.*').replaceAll('?', '.');
        const end = /[*?]/.test(pattern) ? '$' : '';
        expect(matchesName(pattern, name)).toBe(new RegExp(`^${source}${end}`).test(name));
      }),
    );
  });
});
