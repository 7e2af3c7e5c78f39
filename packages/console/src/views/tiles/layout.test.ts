import { expect, test } from 'vitest';
import { keyOfTile, moved, parts, readLayout, tilesLimit, withStream, writeLayout } from './layout.ts';

const keys = (tiles: Parameters<typeof writeLayout>[0]) => tiles.map(keyOfTile);

test.each([undefined, '', 'no JSON', '7', '[7, null, {"part": "odd"}, {"device": 1, "stream": "level"}]'])(
  'of %j the dashboard is that of a new user',
  (text) => {
    expect(keys(readLayout(text))).toEqual(parts);
  },
);

test('a layout comes back as it was written, with parts that it does not name at its end', () => {
  const tiles = [{ device: 'd', stream: 'level' }, { part: 'log', hidden: true } as const, { part: 'fleet' } as const];
  expect(readLayout(writeLayout(tiles))).toEqual([...tiles, { part: 'steps' }, { part: 'updates' }, { part: 'map' }]);
});

test('tiles move up and down, and stay at the ends', () => {
  const tiles = readLayout(undefined);
  expect(keys(moved(tiles, 1, -1)).slice(0, 2)).toEqual(['fleet', 'steps']);
  expect(keys(moved(tiles, 0, 1)).slice(0, 2)).toEqual(['fleet', 'steps']);
  expect(moved(tiles, 0, -1)).toBe(tiles);
  expect(moved(tiles, tiles.length - 1, 1)).toBe(tiles);
});

test('a stream is added once, and no more than there is room for', () => {
  const twice = withStream(withStream(readLayout(undefined), 'd', 'level'), 'd', 'level');
  expect(keys(twice)).toEqual(['d level', ...parts]);
  let tiles = twice;
  for (let number = 0; number < 2 * tilesLimit; number++) tiles = withStream(tiles, 'd', `s${number}`);
  expect(tiles).toHaveLength(tilesLimit);
});
