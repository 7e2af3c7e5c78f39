import type { DevicePlace } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { boxOf, mapSize, outlineOf, pointsOf, project } from './places.ts';

const at = (title: string, lat: number, lon: number, devices = 1): DevicePlace => ({
  device_id: title,
  title,
  lat,
  lon,
  city: '',
  devices,
  online: 0,
});

describe('points of a map', () => {
  test('gather what is near, the largest first', () => {
    const points = pointsOf([at('alone', 53.5, 10), at('a', 0.2, 0.4), at('b', -0.2, -0.4)]);
    expect(points.map(({ places }) => places.map(({ title }) => title))).toEqual([['a', 'b'], ['alone']]);
    expect(points[0]).toMatchObject({ lat: 0, lon: 0, devices: 2 });
  });

  test('that would lie on each other are one, in the middle of all its devices', () => {
    const [point, ...others] = pointsOf([at('ab', 50, 0, 2), at('near', 53, 3), at('far', 50, 40)]);
    expect(point?.places.map(({ title }) => title)).toEqual(['ab', 'near']);
    expect(point?.devices).toBe(3);
    expect(point?.lat).toBeCloseTo(51);
    expect(others).toHaveLength(1);
  });

  test('of no devices are none', () => {
    expect(pointsOf([])).toEqual([]);
  });

  test('have all their devices within their edges, and the edges on the map', () => {
    const [point] = pointsOf([at('a', 88, 178), at('b', 82, 178)]);
    expect(point && boxOf(point)).toEqual({ south: 79, north: 90, west: 175, east: 180 });
  });
});

test('the map runs from the date line to the date line, north on top', () => {
  expect(project({ lon: -180, lat: 85 })).toEqual([0, 0]);
  expect(project({ lon: 180, lat: -60 })).toEqual([mapSize.width, mapSize.height]);
});

test('an outline is one closed path for each ring', () => {
  const ring = [
    [-180, 85],
    [-179, 85],
    [-180, 84],
  ];
  expect(outlineOf([[ring], [ring]])).toBe('M0.0 0.0L2.0 0.0L0.0 2.0ZM0.0 0.0L2.0 0.0L0.0 2.0Z');
});

test('a ring across the date line is a piece on either side', () => {
  const ring = [
    [170, 60],
    [179, 60],
    [-179, 60],
    [-179, 50],
    [179, 50],
    [170, 50],
    [170, 60],
  ];
  const [east = '', west = '', ...more] = outlineOf([[ring]]).split('Z');
  expect([east, west]).toEqual(['M2.0 50.0L2.0 70.0', 'M718.0 70.0L700.0 70.0L700.0 50.0L718.0 50.0']);
  expect(more).toEqual(['']);
});
