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

/** Devices of one cell of this size, in degrees, are one place. */
export const cellDegrees = 3;
/** Points nearer to each other than this, in degrees, would lie on each other: the larger takes in the smaller. */
const apartDegrees = 11;

function pointOf(places: readonly DevicePlace[]): Point {
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  const middle = (side: 'lat' | 'lon') => places.reduce((sum, place) => sum + place[side] * place.devices, 0) / devices;
  return { lon: middle('lon'), lat: middle('lat'), devices, places };
}

/** Gathers places, the largest first, into the points of a map, in the same order. */
export function pointsOf(places: readonly DevicePlace[]): Point[] {
  const gathered: DevicePlace[][] = [];
  for (const place of places) {
    const near = gathered.find(
      ([first]) => first && Math.hypot(first.lon - place.lon, first.lat - place.lat) < apartDegrees,
    );
    if (near) near.push(place);
    else gathered.push([place]);
  }
  return gathered.map(pointOf).sort((one, other) => other.devices - one.devices);
}

/** The part of the map that has all devices of a point, for the list of them; in degrees. */
export function boxOf({ places }: Point) {
  const lats = places.map(({ lat }) => lat);
  const lons = places.map(({ lon }) => lon);
  // The middle of a cell's devices is no further from any of them than the cell is wide.
  return {
    south: Math.max(-90, Math.min(...lats) - cellDegrees),
    north: Math.min(90, Math.max(...lats) + cellDegrees),
    west: Math.max(-180, Math.min(...lons) - cellDegrees),
    east: Math.min(180, Math.max(...lons) + cellDegrees),
  };
}

/** Width and height of the map in its own units: two for each degree. */
export const mapSize = { width: 720, height: 290 } as const;

/** The highest latitude that is shown; further north there is ice. */
const topDegrees = 85;

/** Where a place is on the map: degrees are as long everywhere. */
export const project = ({ lon, lat }: { readonly lon: number; readonly lat: number }): readonly [number, number] => [
  (lon + 180) * 2,
  (topDegrees - lat) * 2,
];

type Ring = readonly (readonly number[])[];

/** Whether the way between two points of a ring leaves the map at one side and comes back at the other. */
const crosses = ([from = 0]: readonly number[], [to = 0]: readonly number[]): boolean => Math.abs(to - from) > 180;

/** The parts of a ring that lie on the map in one piece: a ring across the date line would be drawn across the map. */
function piecesOf(ring: Ring): Ring[] {
  const crossing = ring.findIndex((point, index) => index > 0 && crosses(ring[index - 1] ?? point, point));
  if (crossing < 0) return [ring];
  // Begun behind a crossing, every piece ends where it began: on the edge of the map.
  const turned = [...ring.slice(crossing), ...ring.slice(1, crossing)];
  const pieces: (readonly number[])[][] = [];
  turned.forEach((point, index) => {
    const before = turned[index - 1];
    const piece = pieces.at(-1);
    if (!piece || (before && crosses(before, point))) pieces.push([point]);
    else piece.push(point);
  });
  return pieces;
}

/** The outline of rings of degrees as the path of an SVG. Rings that leave the map below are cut by its frame. */
export const outlineOf = (polygons: readonly (readonly Ring[])[]): string =>
  polygons
    .flat()
    .flatMap(piecesOf)
    .map((piece) => {
      const points = piece.map(([lon = 0, lat = 0]) =>
        project({ lon, lat })
          .map((value) => value.toFixed(1))
          .join(' '),
      );
      return `M${points.join('L')}Z`;
    })
    .join('');
