import type { DevicePlace } from '@moorage/api';

/** A point of the map: the places that the service gives, and those that would lie on them. */
export interface Point {
  /** Degrees east and north: the middle of its devices. */
  readonly lon: number;
  readonly lat: number;
  readonly devices: number;
  /** The largest first. */
  readonly places: readonly DevicePlace[];
}

/** A part of the map, in degrees. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** Places change slowly, and no event says when, in ms. */
export const placesRenewMs = 60_000;

/** Degrees along the equator of one pixel when the whole world is 256 wide, which zoom 0 is; each further zoom has half. */
const degreesPerPixel = 360 / 256;
/** Devices of one cell of the grid are one place; in pixels. */
const cellPixels = 8;
/** Points nearer to each other than this, in pixels, would lie on each other: the larger takes in the smaller. */
const apartPixels = 26;

/** Size of a cell at a zoom, in degrees, as the service takes it. */
export const cellAt = (zoom: number): number =>
  Math.max(0.01, Number(((cellPixels * degreesPerPixel) / 2 ** zoom).toFixed(4)));

function pointOf(places: readonly DevicePlace[]): Point {
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  const middle = (side: 'lat' | 'lon') => places.reduce((sum, place) => sum + place[side] * place.devices, 0) / devices;
  return { lon: middle('lon'), lat: middle('lat'), devices, places };
}

/** Gathers places, the largest first, into the points of a map at a zoom, in the same order. */
export function pointsOf(places: readonly DevicePlace[], zoom: number): Point[] {
  const apart = (apartPixels * degreesPerPixel) / 2 ** zoom;
  const gathered: DevicePlace[][] = [];
  for (const place of places) {
    const near = gathered.find(([first]) => first && Math.hypot(first.lon - place.lon, first.lat - place.lat) < apart);
    if (near) near.push(place);
    else gathered.push([place]);
  }
  return gathered.map(pointOf).sort((one, other) => other.devices - one.devices);
}

const within = (limit: number, degrees: number): number => Math.min(limit, Math.max(-limit, degrees));

/** The part of the map that has all devices of a point, for the list of them. */
export function boxOf({ places }: Point, cell: number): Box {
  const lats = places.map(({ lat }) => lat);
  const lons = places.map(({ lon }) => lon);
  // The middle of a cell's devices is no further from any of them than the cell is wide.
  return {
    south: within(90, Math.min(...lats) - cell),
    north: within(90, Math.max(...lats) + cell),
    west: within(180, Math.min(...lons) - cell),
    east: within(180, Math.max(...lons) + cell),
  };
}

/** Edges of what is asked for, in cells: a small move asks for the same part of the map. */
const cellsApart = 20;

/** The part of the map that is asked for when this one is seen. */
export function askedBox({ south, north, west, east }: Box, cell: number): Box {
  const step = cell * cellsApart;
  const below = (degrees: number): number => Math.floor(degrees / step) * step;
  const above = (degrees: number): number => Math.ceil(degrees / step) * step;
  return {
    south: within(90, below(south)),
    north: within(90, above(north)),
    west: within(180, below(west)),
    east: within(180, above(east)),
  };
}

type Ring = readonly (readonly number[])[];

/** A ring that goes on beyond the date line, where one that begins anew at the other side would be drawn across the map. */
export function unrolled(ring: Ring): (readonly [lat: number, lon: number])[] {
  let turns = 0;
  const points = ring.map(([lon = 0, lat = 0], index): [number, number] => {
    const [before = lon] = ring[index - 1] ?? [];
    if (Math.abs(lon - before) > 180) turns += Math.sign(before - lon);
    return [lat, lon + turns * 360];
  });
  // Most of it lies on the map, on whichever side of the line it began.
  const middle = points.reduce((sum, [, lon]) => sum + lon, 0) / points.length;
  const away = Math.round(middle / 360) * 360;
  return points.map(([lat, lon]) => [lat, lon - away]);
}
