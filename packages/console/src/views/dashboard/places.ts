import type { DeviceLocation } from '@moorage/api';

/** Devices that are shown as one point. */
export interface Place {
  /** Degrees east and north: the middle of its devices. */
  readonly lon: number;
  readonly lat: number;
  readonly devices: readonly DeviceLocation[];
}

/** Devices nearer to each other than this, in degrees, are one point: more could not be told apart. */
const cellDegrees = 3;

/** Gathers devices into the points of a map, the largest first. */
export function placesOf(devices: readonly DeviceLocation[]): Place[] {
  const cells = Map.groupBy(
    devices,
    ({ lat, lon }) => `${Math.round(lat / cellDegrees)} ${Math.round(lon / cellDegrees)}`,
  );
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...cells.values()]
    .map((group) => ({
      lon: mean(group.map(({ lon }) => lon)),
      lat: mean(group.map(({ lat }) => lat)),
      devices: group,
    }))
    .sort((one, other) => other.devices.length - one.devices.length);
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
