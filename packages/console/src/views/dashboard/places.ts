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

/** The outline of rings of degrees as the path of an SVG. Rings that leave the map below are cut by its frame. */
export const outlineOf = (polygons: readonly (readonly (readonly (readonly number[])[])[])[]): string =>
  polygons
    .flat()
    .map((ring) => {
      const points = ring.map(([lon = 0, lat = 0]) =>
        project({ lon, lat })
          .map((value) => value.toFixed(1))
          .join(' '),
      );
      return `M${points.join('L')}Z`;
    })
    .join('');
