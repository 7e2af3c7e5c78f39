import type { DeviceLocation } from '@moorage/api';

/** Devices that are shown as one point. */
export interface Place {
  /** Degrees east and north: the middle of its devices. */
  readonly lon: number;
  readonly lat: number;
  readonly devices: readonly DeviceLocation[];
}

/** Devices of one cell of this size, in degrees, are one point. */
const cellDegrees = 3;
/** Points nearer to each other than this, in degrees, would lie on each other: the larger takes in the smaller. */
const apartDegrees = 11;
/** Cells that are looked at one by one; with more, the smallest stay what they are. */
const mergedCells = 2_000;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const placeOf = (devices: readonly DeviceLocation[]): Place => ({
  lon: mean(devices.map(({ lon }) => lon)),
  lat: mean(devices.map(({ lat }) => lat)),
  devices,
});

const bySize = (one: Place, other: Place): number => other.devices.length - one.devices.length;

/** Gathers devices into the points of a map, the largest first. */
export function placesOf(devices: readonly DeviceLocation[]): Place[] {
  const cells = Map.groupBy(
    devices,
    ({ lat, lon }) => `${Math.round(lat / cellDegrees)} ${Math.round(lon / cellDegrees)}`,
  );
  const places = [...cells.values()].map(placeOf).sort(bySize);
  const gathered: { readonly place: Place; readonly devices: DeviceLocation[] }[] = [];
  for (const place of places.slice(0, mergedCells)) {
    const near = gathered.find(
      (one) => Math.hypot(one.place.lon - place.lon, one.place.lat - place.lat) < apartDegrees,
    );
    if (near) near.devices.push(...place.devices);
    else gathered.push({ place, devices: [...place.devices] });
  }
  return [...gathered.map((one) => placeOf(one.devices)), ...places.slice(mergedCells)].sort(bySize);
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
