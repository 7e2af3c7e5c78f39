import type { DeviceRecord } from '@moorage/api';
import { t } from '../../texts/device.ts';

/** A location as it is typed. */
export interface TypedLocation {
  readonly lat: string;
  readonly lon: string;
  readonly city: string;
  readonly country: string;
}

/** A known location for typing over; empty fields for none. */
export const typedLocation = (location: DeviceRecord['location']): TypedLocation => ({
  lat: location ? String(location.lat) : '',
  lon: location ? String(location.lon) : '',
  city: location?.city ?? '',
  country: location?.country ?? '',
});

/** Degrees out of a text; undefined when it has none within the limit. */
function degrees(text: string, limit: number): number | undefined {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) || Math.abs(value) > limit ? undefined : value;
}

/** A location, `null` when every field is empty, or which field is wrong and why. */
export function readLocation(
  typed: TypedLocation,
):
  | { readonly location: { lat: number; lon: number; city: string; country: string } | null }
  | { readonly field: 'lat' | 'lon'; readonly problem: string } {
  const city = typed.city.trim();
  const country = typed.country.trim();
  if (`${typed.lat}${typed.lon}${city}${country}`.trim() === '') return { location: null };
  const lat = degrees(typed.lat, 90);
  const lon = degrees(typed.lon, 180);
  if (lat === undefined) return { field: 'lat', problem: t.degreesNorth90To90 };
  if (lon === undefined) return { field: 'lon', problem: t.degreesEast180To180 };
  return { location: { lat, lon, city, country } };
}

/** `54.32° N, 10.13° E` */
export function formatDegrees({ lat, lon }: { readonly lat: number; readonly lon: number }): string {
  const north = `${Math.abs(lat)}° ${lat < 0 ? 'S' : 'N'}`;
  return `${north}, ${Math.abs(lon)}° ${lon < 0 ? 'W' : 'E'}`;
}
