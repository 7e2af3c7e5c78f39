import { expect, it } from 'vitest';
import { devicesOf, parseCsv, writeCsv } from './csv.ts';

it.each([
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\ufeffa;b\n1; 2 \n\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n"x, ""y""",\n',
    [
      ['a', 'b'],
      ['x, "y"', ''],
    ],
  ],
  ['a\n"two\nlines"', [['a'], ['two\nlines']]],
  [
    'a,b,c\n,,3',
    [
      ['a', 'b', 'c'],
      ['', '', '3'],
    ],
  ],
  ['', []],
])('the rows of %j', (text, rows) => {
  expect(parseCsv(text)).toEqual(rows);
});

const platforms = new Map([['PIER', 'p1']]);

it('devices are read by the names of their columns, in any order', () => {
  const text = 'Title,platform,UUID,more\nNorth,pier,aa,x\n,PIER,bb,\n';
  expect(devicesOf(text, platforms)).toEqual({
    devices: [
      { uuid: 'aa', platform_id: 'p1', title: 'North' },
      { uuid: 'bb', platform_id: 'p1' },
    ],
  });
});

it('a file without the columns it needs, or with an unknown platform, is named', () => {
  expect(devicesOf('uuid\naa', platforms)).toEqual({ problem: 'columns', value: 'platform' });
  expect(devicesOf('uuid,platform\naa,QUAY', platforms)).toEqual({ problem: 'platform', value: 'QUAY' });
});

it('rows are written as they are read, and no cell is a formula', () => {
  const rows = [
    ['device', 'answer'],
    ['Buoy "1"', 'a,b\r\nc'],
  ];
  expect(parseCsv(writeCsv(rows))).toEqual(rows);
  expect(writeCsv([['=1+1', -5]])).toBe("'=1+1,-5\r\n");
});
