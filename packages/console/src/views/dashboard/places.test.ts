import type { DevicePlace } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { askedBox, boxOf, cellAt, pointsOf, unrolled } from './places.ts';

const at = (title: string, lat: number, lon: number, devices = 1): DevicePlace => ({
  device_id: title,
  title,
  lat,
  lon,
  city: '',
  devices,
  heard: 0,
});

describe('points of a map', () => {
  test('gather what is near, the largest first', () => {
    const points = pointsOf([at('alone', 53.5, 10), at('a', 0.2, 0.4), at('b', -0.2, -0.4)], 1);
    expect(points.map(({ places }) => places.map(({ title }) => title))).toEqual([['a', 'b'], ['alone']]);
    expect(points[0]).toMatchObject({ lat: 0, lon: 0, devices: 2 });
  });

  test('that would lie on each other are one, in the middle of all its devices', () => {
    const [point, ...others] = pointsOf([at('ab', 50, 0, 2), at('near', 53, 3), at('far', 50, 40)], 1);
    expect(point?.places.map(({ title }) => title)).toEqual(['ab', 'near']);
    expect(point?.devices).toBe(3);
    expect(point?.lat).toBeCloseTo(51);
    expect(others).toHaveLength(1);
  });

  test('come apart when one goes near', () => {
    const places = [at('ab', 50, 0, 2), at('near', 53, 3)];
    expect([1, 3, 5].map((zoom) => pointsOf(places, zoom).length)).toEqual([1, 1, 2]);
  });

  test('of no devices are none', () => {
    expect(pointsOf([], 1)).toEqual([]);
  });

  test('have all their devices within their edges, and the edges on the map', () => {
    const [point] = pointsOf([at('a', 88, 178), at('b', 82, 178)], 1);
    expect(point && boxOf(point, 3)).toEqual({ south: 79, north: 90, west: 175, east: 180 });
  });
});

test('a small move asks for the same part of the map, and for none beyond its edges', () => {
  const asked = { south: 40, north: 80, west: 0, east: 40 };
  expect(askedBox({ south: 45, north: 61, west: 2, east: 31 }, 1)).toEqual(asked);
  expect(askedBox({ south: 46, north: 62, west: 4, east: 33 }, 1)).toEqual(asked);
  const world = { south: -90, north: 90, west: -180, east: 180 };
  expect(askedBox({ south: -85, north: 85, west: -195, east: 195 }, 4)).toEqual(world);
});

test('cells are half as wide at each further zoom, and never too small for the service', () => {
  expect([0, 1, 2].map(cellAt)).toEqual([11.25, 5.625, 2.8125]);
  expect(cellAt(18)).toBe(0.01);
});

test('a ring across the date line goes on beyond it, from whichever side it begins', () => {
  const ring = [
    [170, 60],
    [179, 60],
    [-179, 55],
    [179, 50],
  ];
  const whole = [
    [60, 170],
    [60, 179],
    [55, 181],
    [50, 179],
  ];
  expect(unrolled(ring)).toEqual(whole);
  expect(unrolled([...ring.slice(2), ...ring.slice(0, 2)])).toEqual([...whole.slice(2), ...whole.slice(0, 2)]);
});
